// Goal: whatever order messages come in, the view is that of one version or we ask again. Method: given messages, then state.
import { describe, expect, it } from "vitest";
import { EMPTY, freshLegal, reached, step, type RoomState } from "../src/lib/state";
import type { JsonObject, RoomView } from "../src/lib/view";
import type { ServerMessage, Snapshot, Update } from "../src/lib/wire";

const view = (table: JsonObject = { round: 1 }, phase = "playing") =>
  ({ room: "K7Q2MX", n: 1, phase, game: "yacht", seats: {}, table }) as unknown as RoomView;
const snapshot = (version: number, more: Partial<Snapshot> = {}): Snapshot => ({
  type: "snapshot",
  game: "K7Q2MX/1",
  version,
  view: view(),
  ...more,
});
const update = (from: number, version: number, more: Partial<Update> = {}): Update => ({
  type: "update",
  game: "K7Q2MX/1",
  from,
  version,
  entry: `${version}-0`,
  head: `h${version}`,
  events: Array.from({ length: version - from }, () => ({ type: "rolled" })),
  patch: { table: { round: version } },
  ...more,
});
function play(messages: ServerMessage[], state: RoomState = EMPTY) {
  let last = { state, moved: false, gap: false };
  for (const message of messages) last = step(last.state, message);
  return last;
}

describe("updates", () => {
  it("merge onto the version they name and move the position", () => {
    const { state, moved, gap } = play([snapshot(3), update(3, 5)]);
    expect([state.version, moved, gap]).toEqual([5, true, false]);
    expect(state.view?.table).toEqual({ round: 5 });
    expect(state.log.map((item) => item.key)).toEqual(["K7Q2MX/1:4", "K7Q2MX/1:5"]);
    expect(state.head).toBe("h5");
  });

  it("that are old are ignored, also when they come twice", () => {
    const { state, gap } = play([snapshot(3), update(3, 4), update(3, 4), update(1, 2)]);
    expect([state.version, gap, state.log.length]).toEqual([4, false, 1]);
  });

  it("that carry no event but an outcome keep the version", () => {
    const { state, moved, gap } = play([snapshot(3), update(3, 3, { patch: {}, done: [["s", 1]] })]);
    expect([state.version, moved, gap]).toEqual([3, false, false]);
  });

  it("with a gap ask once, and nothing is merged until the snapshot", () => {
    const first = play([snapshot(3), update(4, 5)]);
    expect([first.gap, first.state.version, first.state.view?.table]).toEqual([true, 3, { round: 1 }]);
    const second = step(first.state, update(5, 6));
    expect([second.gap, second.state.version]).toEqual([false, 3]);
    const healed = play([snapshot(6, { view: view({ round: 6 }) }), update(6, 7)], second.state);
    expect([healed.state.version, healed.gap]).toEqual([7, false]);
  });

  it("of the next game are a gap, of an earlier game old", () => {
    expect(play([snapshot(3), update(0, 1, { game: "K7Q2MX/2" })]).gap).toBe(true);
    const { state, gap } = play([snapshot(3, { game: "K7Q2MX/2" }), update(3, 4)]);
    expect([state.version, gap]).toEqual([3, false]);
  });

  it("before any snapshot are ignored", () => {
    expect(play([update(0, 1)]).state.view).toBeNull();
  });

  it("number masked events without ever using a number twice", () => {
    const { state } = play([snapshot(3), update(3, 6, { events: [{ type: "a" }] }), update(6, 7)]);
    expect(new Set(state.log.map((item) => item.key)).size).toBe(2);
  });
});

describe("snapshots", () => {
  it("never take the position back", () => {
    const { state } = play([snapshot(3), update(3, 4), snapshot(3)]);
    expect(state.version).toBe(4);
  });

  it("do not announce again what was there before we were", () => {
    const events = [{ type: "rolled" }, { type: "scored" }];
    expect(play([snapshot(9, { events })]).state.log.map((item) => item.live)).toEqual([false, false]);
  });

  it("announce few missed events, and stay silent about many", () => {
    const missed = (n: number) => Array.from({ length: n }, () => ({ type: "rolled" }));
    expect(play([snapshot(3), snapshot(5, { events: missed(2) })]).state.log.every((item) => item.live)).toBe(true);
    expect(play([snapshot(3), snapshot(23, { events: missed(20) })]).state.log.some((item) => item.live)).toBe(false);
  });

  it("of the next game keep the result of the one that ended before our eyes", () => {
    const over = view({ round: 12 }, "over");
    const { state } = play([
      snapshot(90, { view: over }),
      snapshot(1, { game: "K7Q2MX/2", view: view({}, "lobby") }),
      update(1, 2, { game: "K7Q2MX/2" }),
    ]);
    expect(state.previous).toEqual({ game: "K7Q2MX/1", view: over });
    expect(state.game).toBe("K7Q2MX/2");
    expect(state.log).toHaveLength(1);
  });
});

describe("legal actions", () => {
  const legal = (version: number): ServerMessage => ({
    type: "legal_actions",
    seat: 0,
    version,
    actions: [{ type: "roll" }, "nonsense"],
  });

  it("hold for the version at hand only", () => {
    expect(freshLegal(play([snapshot(3), legal(3)]).state)).toEqual([{ type: "roll" }]);
    expect(freshLegal(play([snapshot(3), legal(2)]).state)).toBeNull();
    expect(freshLegal(play([snapshot(3), legal(3), update(3, 4)]).state)).toBeNull();
    expect(freshLegal(play([snapshot(3), legal(4), update(3, 4)]).state)).not.toBeNull();
  });
});

it("names are kept and added to", () => {
  const welcome: ServerMessage = {
    type: "welcome",
    room: "K7Q2MX",
    player: "p1",
    session: "s",
    seats: [],
    names: { p1: "민수" },
    now_ms: 1,
  };
  const { state } = play([welcome, { type: "names", names: { p2: "<b>" } }]);
  expect([state.player, state.names]).toEqual(["p1", { p1: "민수", p2: "<b>" }]);
});

it("stream ids compare as numbers", () => {
  expect(reached("1000-0", "999-5")).toBe(true);
  expect(reached("1000-2", "1000-10")).toBe(false);
  expect(reached("", "1-0")).toBe(false);
});

describe("around the game", () => {
  const welcome = (more: object): ServerMessage =>
    ({ type: "welcome", room: "K7Q2MX", player: "p1", session: "s", seats: [], names: {}, now_ms: 1, ...more }) as ServerMessage;
  const said = (at_ms: number, body: string): ServerMessage => ({ type: "said", player: "p2", kind: "chat", body, at_ms });

  it("people are counted and the device's own are known", () => {
    const { state } = play([welcome({ others: ["p9"], people: 4 }), { type: "people", people: 5 }]);
    expect([state.others, state.people]).toEqual([["p9"], 5]);
  });

  it("talk is in its order after a reconnect, without twins, and old words are not live", () => {
    const { state } = play([welcome({}), snapshot(3), said(20, "b"), welcome({ said: [said(10, "a"), said(20, "b")] })]);
    expect(state.said.map((item) => [item.body, item.live])).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(state.log).toEqual([]);
  });

  it("changed rules are remembered until the next game", () => {
    const lobby = (options: JsonObject) => ({ ...view({}, "lobby"), options, settings: {} }) as RoomView;
    const first = play([
      snapshot(3, { view: lobby({ pieces: 4 }) }),
      update(3, 4, { events: [{ type: "configured", options: {}, settings: {} }], patch: { options: { pieces: 2 } } }),
      update(4, 5, { events: [{ type: "ready_set", seat: 0, ready: true }], patch: {} }),
    ]).state;
    expect(first.changes).toEqual([{ name: "pieces", from: 4, to: 2, setting: false }]);
    expect(first.log[0]?.changes).toEqual(first.changes);
    // Missed while away: the difference of the two views tells it all the same.
    const missed = play([snapshot(9, { view: lobby({ pieces: 3 }) })], first).state;
    expect(missed.changes).toEqual([{ name: "pieces", from: 2, to: 3, setting: false }]);
    const next = play([snapshot(1, { game: "K7Q2MX/2", view: lobby({ pieces: 3 }) })], missed).state;
    expect(next.changes).toEqual([]);
  });
});
