// What people say to each other: emotes, lines, suggestions. Never part of the log, never markup, and gone with the page.
import type { Action } from "./view";
import { isTagged } from "./view";
import type { Said } from "./wire";

export const EMOTES = ["hello", "thanks", "nice", "wow", "laugh", "sad", "hurry", "good_game"] as const;
export type Emote = (typeof EMOTES)[number];

export const CHAT_MAX = 120;
const KEPT = 100;

export interface SaidItem {
  key: string;
  player: string;
  kind: string;
  body: string;
  at_ms: number;
  /** Said before our eyes: it may float and be announced. */
  live: boolean;
  /** The turn in which it came, by which a suggestion grows old. */
  turn: number | null;
}

/** `list` with `said` added, unless it is there already: the last things said come again with every welcome. */
export function hear(list: SaidItem[], said: unknown, live: boolean, turn: number | null): SaidItem[] {
  if (!isSaid(said)) return list;
  const { player, kind, body, at_ms } = said;
  const key = `${at_ms}:${player}:${kind}:${body}`;
  if (list.some((item) => item.key === key)) return list;
  return [...list, { key, player, kind, body, at_ms, live, turn }].slice(-KEPT);
}

function isSaid(value: unknown): value is Said {
  if (typeof value !== "object" || value === null) return false;
  const { player, kind, body, at_ms } = value as Partial<Said>;
  return typeof player === "string" && typeof kind === "string" && typeof body === "string" && typeof at_ms === "number";
}

export function isEmote(code: string): code is Emote {
  return (EMOTES as readonly string[]).includes(code);
}

/** Characters as people count them; a family emoji is one. */
export function visible(text: string): number {
  if (typeof Intl.Segmenter === "undefined") return [...text].length;
  return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].length;
}

export interface Suggestion {
  player: string;
  action: Action;
}

/** Suggestions for this turn by `allies`, the last one of each. */
export function suggestions(list: SaidItem[], turn: number | undefined, allies: readonly string[]): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const item of list) {
    if (item.kind !== "suggest" || turn === undefined || item.turn !== turn || !allies.includes(item.player)) continue;
    const action = read(item.body);
    found.delete(item.player);
    if (action) found.set(item.player, { player: item.player, action });
  }
  return [...found.values()];
}

function read(body: string): Action | null {
  try {
    const value: unknown = JSON.parse(body);
    return isTagged(value) ? value : null;
  } catch {
    return null;
  }
}

/** Are two actions the same, whatever the order of their fields? */
export function sameAction(a: Action, b: Action): boolean {
  const sorted = (action: Action) => JSON.stringify(Object.entries(action).sort(([x], [y]) => (x < y ? -1 : 1)));
  return sorted(a) === sorted(b);
}
