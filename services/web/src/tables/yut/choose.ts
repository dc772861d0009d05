// Choosing a move: a throw and a piece in either order, then the same again to confirm. Pure; every tap gives a new choice
// and perhaps the move to send.
import type { Place } from "./board";
import type { Move, Outcome } from "./moves";

export interface Choice {
  outcome: Outcome | null;
  from: Place | null;
  /** What was tapped last: tapping that once more confirms. */
  last: "chip" | "piece" | null;
}

export interface Tap {
  choice: Choice;
  send: Move | null;
}

export const NONE: Choice = { outcome: null, from: null, last: null };

export const isNone = (choice: Choice) => choice.outcome === null && choice.from === null;

/** The throw that is meant: the one tapped, else the only kind there is. */
export function meant(choice: Choice, found: readonly Move[]): Outcome | null {
  const kinds = [...new Set(found.map((move) => move.outcome))];
  return choice.outcome ?? (kinds.length === 1 ? kinds[0]! : null);
}

/** The move to show: throw and piece are known and fit. */
export function picked(choice: Choice, found: readonly Move[]): Move | null {
  const outcome = meant(choice, found);
  if (choice.from === null || outcome === null) return null;
  return found.find((move) => move.outcome === outcome && move.from === choice.from) ?? null;
}

/** Pieces that can go: with the throw that is meant, else with any. */
export function movable(choice: Choice, found: readonly Move[]): Place[] {
  const outcome = meant(choice, found);
  return [...new Set(found.filter((move) => outcome === null || move.outcome === outcome).map((move) => move.from))];
}

/** Throws that can be used: for the piece that was tapped, else for any. */
export function usable(choice: Choice, found: readonly Move[]): Outcome[] {
  const fits = (move: Move) => choice.last !== "piece" || choice.outcome !== null || move.from === choice.from;
  return [...new Set(found.filter(fits).map((move) => move.outcome))];
}

export function tapChip(choice: Choice, found: readonly Move[], outcome: Outcome): Tap {
  const shown = picked(choice, found);
  if (shown && choice.last === "chip" && choice.outcome === outcome) return { choice: NONE, send: shown };
  // The throw that leads a preview, tapped again: back to choosing a piece for it. Alone: taken back.
  if (choice.outcome === outcome && choice.from === null) return still(NONE);
  const fits = choice.last === "piece" && choice.outcome === null && has(found, outcome, choice.from);
  return still({ outcome, from: fits ? choice.from : null, last: "chip" });
}

export function tapPiece(choice: Choice, found: readonly Move[], from: Place): Tap {
  const shown = picked(choice, found);
  if (shown && choice.from === from) return { choice: NONE, send: shown };
  if (choice.from === from) return still(NONE);
  return still({ outcome: has(found, choice.outcome, from) ? choice.outcome : null, from, last: "piece" });
}

/** The goal or the confirm button. */
export function confirm(choice: Choice, found: readonly Move[]): Tap {
  return { choice: NONE, send: picked(choice, found) };
}

function has(found: readonly Move[], outcome: Outcome | null, from: Place | null): boolean {
  return found.some((move) => move.outcome === outcome && move.from === from);
}

function still(choice: Choice): Tap {
  return { choice, send: null };
}
