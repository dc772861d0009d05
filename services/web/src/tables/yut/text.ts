import type { Language } from "../../lib/i18n";
import { en } from "./text.en";
import { ko, type Text } from "./text.ko";
import { ms } from "./text.ms";

export type { Text };
export const TEXT: Record<Language, Text> = { ko, en, ms };
