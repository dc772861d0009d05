// The room as its audience sees it: the part of `snapshot.view` that every game shares. `table` is the game's own.
import type * as wire from "./wire";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Phase = "lobby" | "opening" | "playing" | "over" | "closed";
export type DeadlineView = wire.DeadlineView;

/** The generated type, with the parts narrowed that Python leaves open. */
export interface RoomView extends Omit<wire.RoomView, "phase" | "options" | "settings" | "table" | "result"> {
  phase: Phase;
  options: JsonObject;
  settings: wire.Settings;
  table?: Json;
  result?: JsonObject;
}

export type RoomEvent = Extract<wire.RoomPart, { type: string }>;

/** Any concrete action out of a `legal_actions` list. */
export type Action = JsonObject & { type: string };
export type GameEvent = JsonObject & { type: string };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTagged(value: unknown): value is Action {
  return isObject(value) && typeof value.type === "string";
}

/** Seat numbers taken at the table, ascending. */
export function takenSeats(view: RoomView): number[] {
  return Object.keys(view.seats ?? {})
    .map(Number)
    .sort((a, b) => a - b);
}

/** The seat that `player` holds, or null. */
export function seatOf(view: RoomView, player: string): number | null {
  for (const [seat, { player: holder }] of Object.entries(view.seats ?? {})) if (holder === player) return Number(seat);
  return null;
}

export interface Held {
  seat: number;
  player: string;
}

/** The seats that `players` hold, in the order of `players`: the people of one device. */
export function heldBy(view: RoomView, players: readonly string[]): Held[] {
  return players.flatMap((player) => {
    const seat = seatOf(view, player);
    return seat === null ? [] : [{ seat, player }];
  });
}

/** Somebody of ours lost their seat to the host's decision. */
export function isKick(event: unknown, mine: readonly string[]): boolean {
  return isTagged(event) && event.type === "left" && event.kicked === true && mine.includes(String(event.player));
}
