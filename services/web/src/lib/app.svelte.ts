// What the whole page shares: language and route. Small enough to need no library.
import { build } from "./build.svelte";
import { LANGUAGES, pickLanguage, type Catalogue, type Language } from "./i18n";
import { ko } from "./i18n/ko";
import { readCode, readMoveCode } from "./api";
import { deviceStore } from "./storage";

const LANGUAGE_KEY = "noripan.language";
const PLAIN_KEY = "noripan.plain";

class Ui {
  private wanted: Language = "ko";
  language = $state<Language>("ko");
  catalogue = $state.raw<Catalogue>(ko);
  text = $derived(this.catalogue.text);
  /** The generic table is wanted even where there is a drawn one: it is all words, lists and buttons. */
  plain = $state(deviceStore.get(PLAIN_KEY) === "1");

  /** The device's language, or what its player chose. Without its sentences (no network) the page stays as it is. */
  async start(): Promise<void> {
    await this.speak(pickLanguage(deviceStore.get(LANGUAGE_KEY), navigator.languages ?? []));
  }

  async choose(language: Language): Promise<void> {
    if (await this.speak(language)) deviceStore.set(LANGUAGE_KEY, language);
  }

  private async speak(language: Language): Promise<boolean> {
    this.wanted = language;
    try {
      const found = await LANGUAGES[language].load();
      if (this.wanted !== language) return false;
      this.catalogue = found;
      this.language = language;
      return true;
    } catch {
      void build.check();
      return false;
    }
  }

  draw(drawn: boolean): void {
    this.plain = !drawn;
    deviceStore.set(PLAIN_KEY, drawn ? "0" : "1");
  }
}

export const ui = new Ui();

export type Route =
  | { page: "home" }
  /** replay: game `n` of the room is looked at again, at event `at` (null: where it begins). */
  | { page: "room"; code: string; replay: { n: number; at: number | null } | null }
  /** Bring a seat here: `code` may be empty, `room` is where the seat is, if the link says so. */
  | { page: "claim"; code: string; room: string | null }
  | { page: "unknown" };

function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parse(path: string): Route {
  if (path === "/" || path === "") return { page: "home" };
  const claim = /^\/m(?:\/([^/]*))?\/?$/.exec(path);
  if (claim) {
    const room = readCode(new URLSearchParams(location.search).get("r") ?? "");
    return { page: "claim", code: readMoveCode(claim[1] ?? "") ?? "", room };
  }
  const [, given, n] = /^\/r\/([^/]+)(?:\/([1-9]\d{0,8}))?\/?$/i.exec(path) ?? [];
  const code = given === undefined ? null : readCode(plain(given));
  if (!code) return { page: "unknown" };
  const at = /^[1-9]\d{0,8}$/.exec(new URLSearchParams(location.search).get("at") ?? "")?.[0];
  return { page: "room", code, replay: n === undefined ? null : { n: Number(n), at: at === undefined ? null : Number(at) } };
}

class Router {
  route = $state.raw<Route>(parse(location.pathname));

  constructor() {
    addEventListener("popstate", () => (this.route = parse(location.pathname)));
  }

  go(path: string): void {
    history.pushState(null, "", path);
    this.route = parse(location.pathname);
    scrollTo(0, 0);
  }

  /** The address by which this comes back as it is now shown, without going anywhere. */
  stay(path: string): void {
    try {
      history.replaceState(null, "", path);
    } catch {
      // Browsers limit how often; the address is then a moment old.
    }
  }

  /** For `onclick` of a plain link, so that it stays a link for every other way of opening it. */
  follow = (event: MouseEvent): void => {
    const link = event.currentTarget as HTMLAnchorElement;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  };
}

export const router = new Router();
