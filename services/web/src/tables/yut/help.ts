// What the rules in pictures show, by the rules in force.
import type { JsonObject } from "../../lib/view";
import { CENTRE } from "./board";
import type { Outcome } from "./moves";
import type { Text } from "./text";

/** Corners and centre where a piece that stops may turn, and how many steps show where it goes then. */
export const shortcuts: Readonly<Record<number, number>> = { 5: 3, 10: 3, [CENTRE]: 3 };

/** An example for each result: which sticks lie flat side up, the marked one first. */
const STICKS: readonly { outcome: Outcome; sticks: readonly boolean[] }[] = [
  { outcome: "do", sticks: [false, true, false, false] },
  { outcome: "gae", sticks: [false, true, true, false] },
  { outcome: "geol", sticks: [false, true, true, true] },
  { outcome: "yut", sticks: [true, true, true, true] },
  { outcome: "mo", sticks: [false, false, false, false] },
  { outcome: "backdo", sticks: [true, false, false, false] },
];

export function throwsOf(options: JsonObject): typeof STICKS {
  return STICKS.filter(({ outcome }) => outcome !== "backdo" || options.backdo !== false);
}

/** The rules that rooms may differ in, as this one has them. */
export function furtherRules(text: Text, options: JsonObject): string[] {
  const told = [options.finishRule === "reach" ? text.help_reach : text.help_pass];
  if (options.backdo !== false) {
    told.push(text.help_backdo, options.backdoFromDo === "finish" ? text.help_backdo_out : text.help_backdo_start);
    if (options.backdoCaptureBonus === false) told.push(text.help_backdo_capture);
  }
  if (typeof options.nakPercent === "number" && options.nakPercent > 0) told.push(text.help_nak({ n: options.nakPercent }));
  return told;
}
