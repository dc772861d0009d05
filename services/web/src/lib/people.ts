// Who sits where, in words. Nicknames are plain text; a player without one is called by the seat.
import type { Catalogue } from "./i18n";
import { isObject, type Json, type RoomView } from "./view";

export interface People {
  view: RoomView | null;
  names: Record<string, string>;
  player: string;
}

const UNKNOWN = "?";
// Letters that are written from right to left, and signs that turn the direction of what follows them.
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const SIGNS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of others inside a sentence: as `<bdi>` does it, so that a name does not turn round the numbers behind it. */
export function isolated(text: string): string {
  return TURNS.test(text) ? `\u2068${text.replace(SIGNS, "")}\u2069` : text;
}

export function playerName(catalogue: Catalogue, people: People, player: string): string {
  const name = Object.hasOwn(people.names, player) ? people.names[player] : undefined;
  if (name) return isolated(name);
  for (const [seat, held] of Object.entries(people.view?.seats ?? {})) {
    if (held.player === player) return catalogue.text.seat({ seat: Number(seat) + 1 });
  }
  return UNKNOWN;
}

/** Who says something: also people without a seat or a name. */
export function speakerName(catalogue: Catalogue, people: People, player: string): string {
  const name = playerName(catalogue, people, player);
  if (name !== UNKNOWN) return name;
  return player === people.player ? catalogue.text.you : catalogue.text.spectator;
}

export function seatName(catalogue: Catalogue, people: People, seat: number): string {
  const held = people.view?.seats?.[String(seat)];
  return held ? playerName(catalogue, people, held.player) : catalogue.text.seat({ seat: seat + 1 });
}

export function seatNames(catalogue: Catalogue, people: People, seats: readonly unknown[]): string {
  return seats.map((seat) => (typeof seat === "number" ? seatName(catalogue, people, seat) : String(seat))).join(", ");
}

/** Who plays a side, when the table says so (`sides`: number -> `seats`). */
export function sideSeats(people: People, side: number): Json[] {
  const table = people.view?.table;
  const sides = isObject(table) && isObject(table.sides) ? table.sides : {};
  const found = sides[String(side)];
  return isObject(found) && Array.isArray(found.seats) ? found.seats : [];
}

/** A side by its name alone: the person's, or the team's. */
export function sideShort(catalogue: Catalogue, people: People, side: number): string {
  const seats = sideSeats(people, side);
  if (seats.length === 1) return seatNames(catalogue, people, seats);
  const { text } = catalogue;
  const team = people.view?.options?.mode === "team";
  return team ? (side === 0 ? text.team_a : text.team_b) : text.side({ side: side + 1 });
}

/** A side of several seats with the names of those who play it. */
export function sideName(catalogue: Catalogue, people: People, side: number): string {
  const name = sideShort(catalogue, people, side);
  const seats = sideSeats(people, side);
  return seats.length > 1 ? `${name} (${seatNames(catalogue, people, seats)})` : name;
}
