// A game that is looked at again: a pure fold over pages of steps, without DOM, sockets or clocks, and without anything of
// the room that goes on meanwhile. What is known of a game only grows: the view at an event is one object, made once, and
// stepping back shows that same object again.
//
// Page p holds the events p * PAGE + 1 … (p + 1) * PAGE, as far as they have happened, and the view before the first.
import { changes } from "./changes";
import { merge } from "./patch";
import { logItem, type LogItem } from "./state";
import { isTagged, type Json, type RoomView } from "./view";
import type { GameStep, GameSteps } from "./wire";

export const PAGE = 100;

interface Page {
  /** The event before the first. */
  from: number;
  /** At `from`, and after each event of the page. */
  views: readonly RoomView[];
  /** What happened; null: something that this viewer may not know. */
  items: readonly (LogItem | null)[];
}

export interface Known {
  /** `K7Q2MX/2`; "" before the first page. */
  game: string;
  /** The last event that there was to be seen when we last asked. */
  upto: number;
  pages: ReadonlyMap<number, Page>;
}

export const NOTHING: Known = { game: "", upto: 0, pages: new Map() };

/** The address of a moment: what is shared, and what a line of the log leads to. */
export function momentPath(game: string, version: number): string {
  return `/r/${game}?at=${version}`;
}

function pageOf(version: number): number {
  return Math.floor((Math.max(1, version) - 1) / PAGE);
}

function endOf(page: Page): number {
  return page.from + page.items.length;
}

/** After which event to ask, so that `version` becomes known; null when it is. */
export function missing(known: Known, version: number): number | null {
  const page = known.pages.get(pageOf(version));
  if (!page) return pageOf(version) * PAGE;
  return endOf(page) < version ? endOf(page) : null;
}

/** With an answer that was asked for. One that came twice, or is of another game, changes nothing. */
export function take(known: Known, answer: GameSteps): Known {
  if (known.game !== "" && known.game !== answer.game) return known;
  const number = Math.floor(answer.from / PAGE);
  const old = known.pages.get(number) ?? { from: answer.from, views: [(answer.view ?? {}) as RoomView], items: [] };
  const upto = Math.max(known.upto, answer.upto);
  if (answer.from !== endOf(old)) return { ...known, upto };
  const steps = answer.steps.slice(0, number * PAGE + PAGE - answer.from);
  const { views, items } = fold(answer.game, old.views.at(-1)!, steps);
  const page = { from: old.from, views: [...old.views, ...views], items: [...old.items, ...items] };
  return { game: answer.game, upto, pages: new Map([...known.pages, [number, page]]) };
}

function fold(game: string, base: RoomView, steps: readonly GameStep[]): { views: RoomView[]; items: (LogItem | null)[] } {
  const views: RoomView[] = [];
  let view = base;
  const items = steps.map(({ version, patch, events, at_ms }) => {
    const before = view;
    view = merge(before as unknown as Json, patch as Json) as unknown as RoomView;
    views.push(view);
    const event = events?.[0];
    if (!isTagged(event)) return null;
    const item = logItem(game, version, event, at_ms ?? null, false);
    if (event.type === "configured") item.changes = changes(before, view);
    return item;
  });
  return { views, items };
}

/** What happened in these steps, for the log of a page that came later. */
export function itemsOf(answer: GameSteps): LogItem[] {
  return fold(answer.game, (answer.view ?? {}) as RoomView, answer.steps).items.filter((item) => item !== null);
}

/** null while it is not known. */
export function viewAt(known: Known, version: number): RoomView | null {
  if (version < 1) return null; // before the first event there is no room
  const page = known.pages.get(pageOf(version));
  return page?.views[version - page.from] ?? null;
}

/** null: hidden, or not known. */
export function itemAt(known: Known, version: number): LogItem | null {
  const page = known.pages.get(pageOf(version));
  return page?.items[version - page.from - 1] ?? null;
}

/** What happened up to an event, as far back as it is known without a gap, at most two pages. */
export function linesTo(known: Known, version: number): LogItem[] {
  const page = known.pages.get(pageOf(version));
  const before = known.pages.get(pageOf(version) - 1);
  if (!page) return [];
  const earlier = before && endOf(before) === page.from ? before.items : [];
  return [...earlier, ...page.items.slice(0, version - page.from)].filter((item) => item !== null);
}

/** The first event, of those known from the beginning, at which there is a table; 1 when there is none. */
export function firstTable(known: Known): number {
  const found = known.pages.get(0)?.views.findIndex((view) => view.table !== undefined) ?? -1;
  return Math.max(1, found);
}
