// The rules of a room as one plain line, for the log and the announcer.
import type { Catalogue } from "./i18n";
import { complete, fields, summary } from "./options";
import { isObject, type Json, type JsonObject } from "./view";
import type { GameInfo } from "./wire";

export function summarise(catalogue: Catalogue, info: GameInfo | null, options: Json): string {
  if (!info || !isObject(options)) return "";
  const all = fields(info.options as JsonObject, info.defaults as JsonObject);
  return summary(catalogue, all, { ...complete(all, undefined), ...options })
    .map((part) => part.text)
    .join(" · ");
}
