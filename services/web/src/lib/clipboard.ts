// Copying, also where the page has no clipboard API: plain http, as in the network at home.

/** False: it did not work; then the text must be there to be copied by hand. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.readOnly = true;
    field.className = "sr";
    const before = document.activeElement;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    return done;
  }
}
