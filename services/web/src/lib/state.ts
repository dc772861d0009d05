// What this client knows of its room: a pure fold over server messages, without DOM, sockets or clocks.
//
// A position is (game, version). A snapshot replaces the view; an update is merged only when its `from` is the version at
// hand; everything else is either old (ignored) or a gap, and a gap asks for a new `hello` and for nothing else.
import { changes, type Change } from "./changes";
import { merge } from "./patch";
import { hear, type SaidItem } from "./talk";
import { isTagged, type Action, type GameEvent, type JsonObject, type RoomView } from "./view";
import type { ServerMessage, Snapshot, Update, Welcome } from "./wire";

const LOG_MAX = 400;
const ANNOUNCED_MAX = 3; // events missed in an outage are announced only when they are few

export interface LogItem {
  /** Unique in the room: game, version. */
  key: string;
  event: GameEvent;
  at_ms: number | null;
  /** It happened before our eyes, so it may be announced (and, by a drawn game, animated). */
  live: boolean;
  /** For a change of the rules that we saw: what is different, perhaps nothing. */
  changes?: Change[];
}

export interface Receipt {
  game: string;
  version: number;
  entry: string;
  head: string;
}

export interface Finished {
  game: string;
  view: RoomView;
}

export interface RoomState {
  player: string;
  /** Further people of this device. */
  others: readonly string[];
  names: Record<string, string>;
  /** How many people are in the room. */
  people: number;
  said: SaidItem[];
  /** What was different in the rules when they last changed in this lobby. */
  changes: Change[];
  /** "" before the first snapshot. */
  game: string;
  version: number;
  view: RoomView | null;
  entry: string;
  head: string;
  log: LogItem[];
  /** The log begins after this event; what was before it can be asked for (`recalled`). */
  logFrom: number;
  legal: { seat: number; version: number; actions: Action[] } | null;
  /** The game before this one, when it ended before our eyes: its result must not vanish with the next lobby. */
  previous: Finished | null;
  /** A gap was seen; updates are ignored until the snapshot that `hello` brings. */
  lost: boolean;
}

/** What a message means beyond the new state. */
export interface Step {
  state: RoomState;
  /** The view is new: ask for legal actions again. */
  moved: boolean;
  /** Our position does not fit: say hello with it. */
  gap: boolean;
}

export const EMPTY: RoomState = {
  player: "",
  others: [],
  names: {},
  people: 0,
  said: [],
  changes: [],
  game: "",
  version: 0,
  view: null,
  entry: "",
  head: "",
  log: [],
  logFrom: 0,
  legal: null,
  previous: null,
  lost: false,
};

/** Number of a game in its room: `K7Q2MX/3` -> 3; 0 for anything else. */
export function gameNumber(game: string): number {
  return Number(/\/(\d{1,9})$/.exec(game)?.[1] ?? 0);
}

/** Is stream id `a` (`<ms>-<seq>`) at or after `b`? Compared as numbers, not as text. */
export function reached(a: string, b: string): boolean {
  const [aMs = 0, aSeq = 0] = a.split("-").map(Number);
  const [bMs = 0, bSeq = 0] = b.split("-").map(Number);
  return aMs !== bMs ? aMs > bMs : aSeq >= bSeq;
}

export function step(state: RoomState, message: ServerMessage): Step {
  switch (message.type) {
    case "welcome":
      return still(onWelcome(state, message));
    case "people":
      return still({ ...state, people: message.people });
    case "said":
      return still({ ...state, said: hear(state.said, message, true, state.view?.turn ?? null) });
    case "names":
      return still({ ...state, names: { ...state.names, ...message.names } });
    case "snapshot":
      return onSnapshot(state, message);
    case "update":
      return onUpdate(state, message);
    case "legal_actions": {
      const { seat, version } = message;
      // An answer about an older table would offer what is no longer there.
      if (version < state.version) return still(state);
      return still({ ...state, legal: { seat, version, actions: message.actions.filter(isTagged) } });
    }
    default:
      return still(state);
  }
}

function still(state: RoomState): Step {
  return { state, moved: false, gap: false };
}

function onWelcome(state: RoomState, message: Welcome): RoomState {
  const { player, names, others = [], people = 0 } = message;
  // What was said before we came is read, but neither floats nor speaks.
  const said = (message.said ?? []).reduce<SaidItem[]>((list, one) => hear(list, one, false, null), state.said);
  said.sort((a, b) => a.at_ms - b.at_ms);
  return { ...state, player, names, others, people, said };
}

function onSnapshot(state: RoomState, message: Snapshot): Step {
  const { game, version } = message;
  const same = game === state.game;
  // An answer that was overtaken (two hellos on one socket) must not take us back.
  if (same && version < state.version) return still({ ...state, lost: false });
  if (gameNumber(game) < gameNumber(state.game)) return still({ ...state, lost: false });

  const missed = (message.events ?? []).filter(isTagged);
  const live = same && state.version > 0 && missed.length <= ANNOUNCED_MAX;
  const items = missed.map((event, i) => logItem(game, version - missed.length + 1 + i, event, null, live));
  const cut = version > state.version && items.length === 0; // too much was missed to be told one by one
  const view = message.view as RoomView;
  const changed = same && state.view && view.phase === "lobby" ? changes(state.view, view) : [];
  return {
    state: {
      ...state,
      game,
      version,
      view,
      entry: message.entry ?? "",
      head: message.head ?? "",
      log: !same || cut ? items : append(state.log, items),
      logFrom: !same || cut ? version - items.length : state.logFrom,
      changes: changed.length > 0 || !same ? changed : state.changes,
      legal: same && version === state.version ? state.legal : null,
      previous: same ? state.previous : finished(state),
      lost: false,
    },
    moved: true,
    gap: false,
  };
}

function onUpdate(state: RoomState, message: Update): Step {
  const { game, version } = message;
  if (state.lost || state.view === null) return still(state);
  if (gameNumber(game) < gameNumber(state.game)) return still(state);
  if (game === state.game && message.from !== state.version && version <= state.version) return still(state);
  if (game !== state.game || message.from !== state.version) {
    return { state: { ...state, lost: true }, moved: false, gap: true };
  }

  const events = message.events.filter(isTagged);
  const first = version - events.length + 1; // masked events have a version too, so numbers may be too high, never twice
  const at_ms = Number.parseInt(message.entry, 10); // an entry's id is its time
  const items = events.map((event, i) => logItem(game, first + i, event, Number.isNaN(at_ms) ? null : at_ms, true));
  const view = merge(state.view as unknown as JsonObject, message.patch as JsonObject) as unknown as RoomView;
  const last = items.findLast((item) => item.event.type === "configured");
  const changed = last ? changes(state.view, view) : [];
  if (last) last.changes = changed;
  return {
    state: {
      ...state,
      version,
      view,
      changes: changed.length > 0 ? changed : state.changes,
      entry: message.entry,
      head: message.head,
      log: append(state.log, items),
    },
    moved: version !== message.from,
    gap: false,
  };
}

/** With what happened before the log begins, which is neither news nor moves anything. */
export function recalled(state: RoomState, game: string, items: LogItem[]): RoomState {
  if (game !== state.game) return state;
  const before = items.filter((item) => eventNumber(item) <= state.logFrom);
  return { ...state, log: [...before, ...state.log].slice(-LOG_MAX), logFrom: 0 };
}

/** Number of a line's event in its game. */
export function eventNumber(item: LogItem): number {
  return Number(item.key.slice(item.key.indexOf(":") + 1));
}

export function logItem(game: string, version: number, event: GameEvent, at_ms: number | null, live: boolean): LogItem {
  return { key: `${game}:${version}`, event, at_ms, live };
}

function append(log: LogItem[], items: LogItem[]): LogItem[] {
  if (items.length === 0) return log;
  const seen = new Set(log.map((item) => item.key));
  return [...log, ...items.filter((item) => !seen.has(item.key))].slice(-LOG_MAX);
}

function finished(state: RoomState): Finished | null {
  return state.view?.phase === "over" ? { game: state.game, view: state.view } : state.previous;
}

/** Legal actions that still fit the table at hand; null while the answer is on its way. */
export function freshLegal(state: RoomState): Action[] | null {
  return state.legal && state.legal.version >= state.version ? state.legal.actions : null;
}
