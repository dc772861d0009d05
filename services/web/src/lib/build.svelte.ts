// Whether the server has a newer client than this page: the first page names its script by what is in it.
const NAME = /\/assets\/index-[\w-]+\.js/;
const own = typeof document === "undefined" ? "" : (document.querySelector('script[type="module"][src]')?.getAttribute("src") ?? "");

class Build {
  /** A newer one is there; some parts of this one may no longer be. */
  old = $state(false);

  /** Ask, and remember. Without an answer nothing is known, and nothing is said. */
  async check(): Promise<void> {
    if (this.old || !NAME.test(own)) return;
    try {
      const page = await fetch("/", { cache: "no-store", headers: { accept: "text/html" } });
      const now = page.ok ? NAME.exec(await page.text())?.[0] : undefined;
      this.old = now !== undefined && now !== own;
    } catch {
      // offline
    }
  }
}

export const build = new Build();
