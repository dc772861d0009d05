// The languages, and the one that is chosen. No DOM and no storage here: the page says which language to use.
import { en } from "./en";
import { ko, type Catalogue } from "./ko";
import { ms } from "./ms";

export type { Catalogue };
export type Language = "ko" | "en" | "ms";

export const LANGUAGES: Record<Language, { name: string; catalogue: Catalogue }> = {
  ko: { name: "한국어", catalogue: ko },
  en: { name: "English", catalogue: en },
  ms: { name: "Bahasa Melayu", catalogue: ms },
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
