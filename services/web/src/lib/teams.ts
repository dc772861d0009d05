// Teams of games with an option `mode: "team"`: seats alternate, so that teammates sit across.
import { takenSeats, type RoomView } from "./view";

/** 0 or 1, or null where everybody plays alone. */
export function teamOf(view: RoomView, seat: number): 0 | 1 | null {
  if (view.options?.mode !== "team") return null;
  return seat % 2 === 0 ? 0 : 1;
}

/** Players on the team of `seat`, without the one on it. */
export function allies(view: RoomView, seat: number): string[] {
  const team = teamOf(view, seat);
  if (team === null) return [];
  return takenSeats(view)
    .filter((other) => other !== seat && teamOf(view, other) === team)
    .map((other) => view.seats[String(other)]!.player);
}
