// What chips, pieces and moves are called: for screen readers, for buttons, for suggestions.
import type { Catalogue } from "../../lib/i18n";
import { term } from "../../lib/terms";
import type { Place } from "./board";
import { STEPS, type Chip, type Move, type Outcome, type YutTable } from "./moves";
import type { Text } from "./text";

/** `윷 4칸`. */
export function throwName(catalogue: Catalogue, text: Text, outcome: Outcome): string {
  const n = STEPS[outcome];
  const name = term(catalogue, outcome);
  return n < 0 ? text.backward({ name, n: -n }) : text.forward({ name, n });
}

export function chipName(catalogue: Catalogue, text: Text, chip: Chip): string {
  const name = throwName(catalogue, text, chip.outcome);
  return chip.count > 1 ? text.times({ text: name, n: chip.count }) : name;
}

/** `3번 칸의 말 2개`; pieces that wait are all meant, although one goes at a time. */
export function pieceName(text: Text, table: YutTable, from: Place): string {
  if (from === "home") return text.pieces_home({ count: table.sides[String(table.side)]?.home ?? 0 });
  return text.pieces_on({ n: from, count: table.board[String(from)]?.count ?? 0 });
}

export type Effect = "capture" | "join" | "finish";

/** What a move does beside moving. */
export function effectOf(move: Move): Effect | null {
  if (move.to === "goal") return "finish";
  if (move.captures) return "capture";
  return move.joins ? "join" : null;
}

/** `3번 칸의 말 2개: 7번 칸으로 이동, 잡기`. */
export function moveName(text: Text, table: YutTable, move: Move): string {
  const what = move.from === "home" ? text.one_home : pieceName(text, table, move.from);
  const told = move.to === "goal" ? text.leads_out({ what }) : text.leads_to({ what, n: move.to });
  const effect = effectOf(move);
  return effect === null ? told : text.with({ text: told, effect: text[effect] });
}

/** The sticks in words: how many lie flat, and how the marked one (the first) lies. */
export function sticksName(text: Text, sticks: readonly boolean[]): string {
  const told = text.sticks({ flat: sticks.filter(Boolean).length });
  return text.sticks_marked({ text: told, face: sticks[0] ? text.face_flat : text.face_round });
}
