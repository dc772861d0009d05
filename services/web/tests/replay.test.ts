// Goal: the view at an event is the base with the patches up to it, whatever is asked for in whatever order; stepping back
// shows the very same view; and nothing of the room that goes on gets into a replay, or the other way round. Method: a game of
// 250 events on a pretended server, everything that was handed out frozen.
import { describe, expect, it } from "vitest";
import { firstTable, itemAt, itemsOf, linesTo, missing, momentPath, NOTHING, PAGE, take, viewAt, type Known } from "../src/lib/replay";
import { EMPTY, eventNumber, recalled, step, type RoomState } from "../src/lib/state";
import { merge } from "../src/lib/patch";
import type { Json, JsonObject, RoomView } from "../src/lib/view";
import type { GameStep, GameSteps, ServerMessage } from "../src/lib/wire";

const GAME = "K7Q2MX/2";
const HIDDEN = 7;
const BEGAN = 5;

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const patch = (version: number): JsonObject =>
  version === 1
    ? { room: "K7Q2MX", phase: "lobby", game: "yacht", options: { turnSeconds: 60 }, settings: {}, seats: { "0": { player: "p" } } }
    : version === 3
      ? { options: { turnSeconds: 30 } }
      : version < BEGAN
        ? {}
        : { phase: "playing", table: { count: version, odd: version % 2 ? true : null, dice: [version % 6] } };
const event = (version: number) => (version === 3 ? { type: "configured", options: { turnSeconds: 30 } } : { type: "rolled", n: version });

/** What the server says that has `upto` events. */
function asked(from: number, upto: number): GameSteps {
  let view: Json = {};
  for (let version = 1; version <= from; version++) view = merge(view, patch(version));
  const steps: GameStep[] = [];
  for (let version = from + 1; version <= Math.min(upto, from + PAGE); version++) {
    steps.push({ version, patch: patch(version), ...(version === HIDDEN ? {} : { events: [event(version)] }) });
  }
  return frozen({ game: GAME, upto, from, steps, ...(from ? { view } : {}) });
}

function known(version: number, upto: number, start: Known = NOTHING): Known {
  let now = start;
  for (let from = missing(now, version); from !== null; from = missing(now, version)) now = take(now, asked(from, upto));
  return now;
}

const folded = (version: number): Json => asked(version, version).view as Json;

describe("the view at an event", () => {
  it("is the base with the patches up to it, at every event and across pages", () => {
    const all = [1, 101, 201].reduce((now, version) => known(version, 250, now), NOTHING);
    for (let version = 1; version <= 250; version++) expect(viewAt(all, version)).toEqual(folded(version));
    expect([viewAt(all, 251), viewAt(all, 0), viewAt(NOTHING, 1)]).toEqual([null, null, null]);
  });

  it("is found from the middle of a game with one question", () => {
    expect(missing(NOTHING, 230)).toBe(200);
    const some = take(NOTHING, asked(200, 250));
    expect([missing(some, 230), viewAt(some, 230), missing(some, 200), missing(some, 201)]).toEqual([null, folded(230), 100, null]);
  });

  it("is the very same when one steps back, also after more has happened and been asked for", () => {
    const first = known(10, 30);
    const before = viewAt(first, 10);
    const grown = known(30, 57, known(57, 57, known(25, 40, first)));
    expect(viewAt(grown, 10)).toBe(before);
    expect(viewAt(grown, 10)).toEqual(folded(10));
    for (const version of [57, 9, 31, 10]) viewAt(grown, version);
    expect(viewAt(grown, 10)).toBe(before);
    expect(grown.upto).toBe(57);
  });

  it("does not change by an answer that comes twice, late, or of another game", () => {
    const now = known(40, 40);
    expect(take(now, asked(0, 40))).toEqual(now);
    expect(take(now, { ...asked(40, 45), game: "K7Q2MX/3" })).toBe(now);
    const grown = take(now, asked(40, 45));
    expect(take(grown, asked(40, 45))).toEqual(grown);
    expect(viewAt(grown, 45)).toEqual(folded(45));
  });

  it("goes on over the end of a page that was not full", () => {
    const now = take(known(57, 57), asked(57, 250)); // a hundred steps, of which the page takes its own
    expect([missing(now, 100), missing(now, 101)]).toEqual([null, 100]);
    expect(viewAt(known(130, 250, now), 130)).toEqual(folded(130));
  });
});

describe("what happened", () => {
  it("has its number, and a hidden event keeps its place", () => {
    const now = known(20, 20);
    expect([itemAt(now, HIDDEN), itemAt(now, 8)?.event.n, itemAt(now, 8)?.live]).toEqual([null, 8, false]);
    expect(linesTo(now, 9).map(eventNumber)).toEqual([1, 2, 3, 4, 5, 6, 8, 9]);
    expect(itemAt(now, 3)?.changes).toEqual([{ name: "turnSeconds", from: 60, to: 30, setting: false }]);
  });

  it("reaches back over the page before when that is known to its end", () => {
    const late = known(150, 250);
    expect(linesTo(late, 110).map(eventNumber)).toEqual(Array.from({ length: 10 }, (_, i) => 101 + i));
    expect(linesTo(known(100, 250, late), 110)).toHaveLength(109);
    expect(linesTo(take(late, asked(0, 57)), 110)).toHaveLength(10);
  });

  it("begins at the first table", () => {
    expect([firstTable(known(50, 50)), firstTable(known(2, 2)), firstTable(NOTHING)]).toEqual([BEGAN, 1, 1]);
  });

  it("has an address of its own", () => {
    expect(momentPath(GAME, 10)).toBe("/r/K7Q2MX/2?at=10");
  });
});

describe("the live room and a replay", () => {
  const snapshot = (version: number): ServerMessage => ({ type: "snapshot", game: GAME, version, view: folded(version) });
  const update = (version: number): ServerMessage => ({
    type: "update",
    game: GAME,
    from: version - 1,
    version,
    entry: `${version}-0`,
    head: "",
    events: [event(version)],
    patch: patch(version),
  });

  it("do not touch each other", () => {
    let live: RoomState = frozen(step(EMPTY, frozen(snapshot(30))).state);
    const replay = known(10, 30);
    const [at10, all] = [JSON.stringify(viewAt(replay, 10)), [...replay.pages]];
    for (let version = 31; version <= 50; version++) {
      live = frozen(step(live, frozen(update(version))).state);
      for (const back of [10, version - 20]) viewAt(replay, back);
    }
    expect(JSON.stringify(viewAt(replay, 10))).toBe(at10);
    expect([...replay.pages]).toEqual(all);
    expect(replay.upto).toBe(30);
    const later = known(45, 50, replay);
    expect(viewAt(later, 10)).toBe(viewAt(replay, 10));
    expect([live.version, live.view]).toEqual([50, folded(50)]);
    expect(viewAt(known(50, 50, later), 50)).toEqual(live.view as unknown as RoomView);
  });

  it("share what happened before the page came, as old news and once", () => {
    const fresh = step(step(EMPTY, snapshot(30)).state, update(31)).state;
    expect([fresh.log.map(eventNumber), fresh.logFrom]).toEqual([[31], 30]);
    const full = recalled(fresh, GAME, itemsOf(asked(0, 35)));
    expect(full.log.map(eventNumber)).toEqual([1, 2, 3, 4, 5, 6, ...Array.from({ length: 24 }, (_, i) => 8 + i)]);
    expect(full.log.filter((item) => item.live).map(eventNumber)).toEqual([31]);
    expect([full.logFrom, full.view]).toEqual([0, fresh.view]);
    expect(recalled(fresh, "K7Q2MX/3", itemsOf(asked(0, 35)))).toBe(fresh);
  });

  it("begin the log anew when more was missed than is told one by one", () => {
    const before = recalled(step(EMPTY, snapshot(30)).state, GAME, itemsOf(asked(0, 30)));
    const after = step(before, snapshot(300)).state;
    expect([after.log, after.logFrom]).toEqual([[], 300]);
    const few = step(before, { ...snapshot(32), events: [event(31), event(32)] } as ServerMessage).state;
    expect([few.log.length, few.logFrom]).toEqual([31, 0]);
  });
});
