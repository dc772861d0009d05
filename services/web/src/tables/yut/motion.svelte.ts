// What moves now, and until when the table keeps still what a throw brings.
//
// An event is shown once, when it happened before our eyes: not after a reload, in a replay or on a hidden page. When
// several come at once only the last moves. The next one ends what is still moving. A throw holds the state from before it
// until its sticks lie, so that nothing on the table knows the result earlier.
import type { LogItem, RoomState } from "../../lib/state";
import type { GameEvent } from "../../lib/view";

export const THROW_MS = 800;
export const FADE_MS = 120;
const STEP_MS = 160;
const FLY_MS = 350;
const TRAVEL_MS_MAX = 1100;

export type Play =
  | { kind: "throw"; key: string; ms: number; before: RoomState }
  | { kind: "move"; key: string; ms: number; travel_ms: number; moved: GameEvent; after: GameEvent | null };

const MOVING = new Set(["thrown", "moved"]);

/** The last of the new events that may move, with the ones that follow it. */
export function newest(items: readonly LogItem[]): { item: LogItem; rest: readonly LogItem[] } | null {
  const at = items.findLastIndex((item) => item.live && MOVING.has(item.event.type));
  return at < 0 ? null : { item: items[at]!, rest: items.slice(at + 1) };
}

/** How long a piece is on its way over so many nodes. */
export function travelMs(nodes: number): number {
  return Math.min(nodes * STEP_MS, TRAVEL_MS_MAX);
}

export class Motion {
  now = $state.raw<Play | null>(null);
  private last: string;
  private before: RoomState;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    state: RoomState,
    private readonly may: { show(): boolean; calm(): boolean },
  ) {
    this.before = state;
    this.last = state.log.at(-1)?.key ?? "";
  }

  see(state: RoomState): void {
    const { before } = this;
    if (state === before) return;
    const from = state.log.findLastIndex((item) => item.key === this.last) + 1;
    // When our last event has left the log, or another game began, nothing is known to be new.
    const items = from > 0 || this.last === "" ? state.log.slice(from) : [];
    this.last = state.log.at(-1)?.key ?? this.last;
    this.before = state;
    const found = state.game === before.game ? newest(items) : null;
    if (!found) return;
    this.end();
    if (!this.may.show()) return;
    this.start(this.play(found.item, found.rest, before));
  }

  private play(item: LogItem, rest: readonly LogItem[], before: RoomState): Play {
    const calm = this.may.calm();
    const { key, event } = item;
    if (event.type === "thrown") return { kind: "throw", key, ms: calm ? FADE_MS : THROW_MS, before };
    const after = rest.find((one) => one.event.type === "captured" || one.event.type === "stacked")?.event ?? null;
    const nodes = Array.isArray(event.path) ? event.path.length + (event.to === "goal" ? 1 : 0) : 1;
    const travel_ms = calm ? FADE_MS : travelMs(nodes);
    const flies = !calm && after?.type === "captured";
    return { kind: "move", key, ms: travel_ms + (flies ? FLY_MS : 0), travel_ms, moved: event, after };
  }

  private start(play: Play): void {
    this.now = play;
    this.timer = setTimeout(() => this.end(), play.ms);
  }

  /** At once where it ends: for impatient fingers, and for a page that is put away. */
  end = (): void => {
    clearTimeout(this.timer);
    this.now = null;
  };
}
