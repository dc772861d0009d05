// The languages, and the one that is chosen. No DOM and no storage here: the page says which language to use. Korean is part
// of the page; the others are loaded by those who read them, so that the first page does not grow with the languages.
import { ko, type Catalogue } from "./ko";

export type { Catalogue };
export type Language = "ko" | "en" | "ms";

export const LANGUAGES: Readonly<Record<Language, { name: string; load: () => Promise<Catalogue> }>> = {
  ko: { name: "한국어", load: () => Promise.resolve(ko) },
  en: { name: "English", load: () => import("./en").then((found) => found.en) },
  ms: { name: "Bahasa Melayu", load: () => import("./ms").then((found) => found.ms) },
};

export function isLanguage(text: string | null | undefined): text is Language {
  return text === "ko" || text === "en" || text === "ms";
}

/** The stored choice; else Korean when the browser reads it at all; else the first of its languages that we have. */
export function pickLanguage(stored: string | null, browser: readonly string[]): Language {
  if (isLanguage(stored)) return stored;
  const bases = browser.map((tag) => tag.slice(0, 2).toLowerCase());
  return bases.includes("ko") ? "ko" : (bases.find(isLanguage) ?? "ko");
}
