// What moves, and when. An event moves something once: when it comes while the page is looked at. Whatever was there when
// the table was opened, came in an outage or while the page was hidden has happened, and is only shown.
import type { LogItem } from "../../lib/state";

export const ROLL_MS = 600;
export const FADE_MS = 150;
export const PARTY_MS = 1800;

/** Items of the log after the one called `last`; none when that one is no longer there. */
export function after(log: readonly LogItem[], last: string): LogItem[] {
  const at = log.findIndex((item) => item.key === last);
  return last !== "" && at < 0 ? [] : log.slice(at + 1);
}

/** Which dice of `dice` the newest roll among `items` threw; null when there is none that we saw, or it is no longer shown. */
export function thrown(items: readonly LogItem[], dice: readonly number[] | null): boolean[] | null {
  const event = items.findLast((item) => item.event.type === "rolled" && item.live)?.event;
  if (!event || !dice || !Array.isArray(event.dice) || String(event.dice) !== String(dice)) return null;
  const held = Array.isArray(event.held) ? event.held : [];
  return dice.map((_, i) => held[i] !== true);
}

/** Was a yacht written before our eyes, in its own box or as a further one? */
export function yachtWritten(items: readonly LogItem[]): boolean {
  return items.some(({ live, event: { type, category, points, bonus } }) => {
    const worth = (category === "yacht" && Number(points) > 0) || Number(bonus ?? 0) > 0;
    return live && type === "scored" && worth;
  });
}

export class Motion {
  /** Dice in the air: their faces are not to be seen yet. */
  flying = $state.raw<boolean[] | null>(null);
  /** With less motion: dice whose faces just changed. */
  fading = $state.raw<boolean[] | null>(null);
  party = $state(false);

  private last: string | null = null;
  private timers: Partial<Record<"roll" | "party", ReturnType<typeof setTimeout>>> = {};

  /** To be called with every new log; `seen`: somebody looks at the page. */
  see(log: readonly LogItem[], dice: readonly number[] | null, seen: boolean, calm: boolean): void {
    const items = this.last === null ? [] : after(log, this.last);
    this.last = log.at(-1)?.key ?? this.last ?? "";
    if (items.length === 0) return;
    if (items.some(({ event }) => event.type === "rolled" || event.type === "turn_changed")) this.skip();
    if (!seen) return;
    const dropped = thrown(items, dice);
    if (dropped) {
      if (calm) this.fading = dropped;
      else this.flying = dropped;
      this.timers.roll = setTimeout(() => this.skip(), calm ? FADE_MS : ROLL_MS);
    }
    if (!calm && yachtWritten(items)) {
      this.party = true;
      clearTimeout(this.timers.party);
      this.timers.party = setTimeout(() => (this.party = false), PARTY_MS);
    }
  }

  /** The dice lie. */
  skip(): void {
    clearTimeout(this.timers.roll);
    this.flying = this.fading = null;
  }

  stop(): void {
    this.skip();
    clearTimeout(this.timers.party);
    this.party = false;
  }
}
