// What just happened to a throw and needs a word of explanation: a nak, or results that nothing could be done with. It stays
// until the next throw or move.
import type { Catalogue } from "../../lib/i18n";
import type { LogItem } from "../../lib/state";
import { term } from "../../lib/terms";
import type { Text } from "./text";

/** The last results that were lost, "" when something has been played since. */
export function lostThrows(log: readonly LogItem[]): string[] {
  const item = log.findLast(({ event }) => ["thrown", "moved", "nak", "discarded"].includes(event.type));
  return item?.event.type === "discarded" && Array.isArray(item.event.throws) ? item.event.throws.map(String) : [];
}

export function notesOf(catalogue: Catalogue, text: Text, log: readonly LogItem[]): string[] {
  const lost = lostThrows(log);
  if (lost.length > 0) {
    const names = lost.map((one) => term(catalogue, one)).join(", ");
    return [`${text.discarded({ names })} ${text.discarded_rule}`];
  }
  const last = log.findLast(({ event }) => ["thrown", "moved", "nak"].includes(event.type));
  return last?.event.type === "nak" ? [text.nak] : [];
}
