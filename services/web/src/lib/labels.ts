// The rules of a room as one plain line, for the log and the announcer.
import type { Catalogue } from "./i18n";
import { complete, fields, summary } from "./options";
import { isObject, type Json, type JsonObject } from "./view";
import type { GameInfo } from "./wire";

/** whole: options as a view has them, where what is null is left out; else only those that differ from the default. */
export function summarise(catalogue: Catalogue, info: GameInfo | null, options: Json, whole = false): string {
  if (!info || !isObject(options)) return "";
  const all = fields(info.options as JsonObject, info.defaults as JsonObject);
  return summary(catalogue, all, whole ? complete(all, options) : { ...complete(all, undefined), ...options })
    .map((part) => part.text)
    .join(" · ");
}
