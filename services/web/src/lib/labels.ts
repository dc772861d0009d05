// The rules of a room as one plain line, for the log and the announcer.
import type { Catalogue } from "./i18n";
import { complete, formOf, summary } from "./options";
import { isObject, type Json } from "./view";
import type { GameInfo } from "./wire";

/** whole: options as a view has them, where what is null is left out; else only those that differ from the default. */
export function summarise(catalogue: Catalogue, info: GameInfo | null, options: Json, whole = false): string {
  if (!info || !isObject(options)) return "";
  const all = formOf(info);
  return summary(catalogue, all, whole ? complete(all, options) : { ...complete(all, undefined), ...options })
    .map((part) => part.text)
    .join(" · ");
}
