// All catalogues at once, which no page has.
import { en } from "../src/lib/i18n/en";
import { ko, type Catalogue } from "../src/lib/i18n/ko";
import { ms } from "../src/lib/i18n/ms";

export const LANGUAGES: Record<"ko" | "en" | "ms", { catalogue: Catalogue }> = {
  ko: { catalogue: ko },
  en: { catalogue: en },
  ms: { catalogue: ms },
};
