// Goal: the drawn table of Yut offers, shows and animates exactly what the engine says. Method: fixtures that the engine made
// (tests/engine/yut_vectors.py), geometry and colours worked out, taps and events one after the other.
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EMPTY, type LogItem, type RoomState } from "../src/lib/state";
import type { JsonObject, RoomView } from "../src/lib/view";
import { CENTRE, CORNERS, GOAL, HOME, POINTS, SIZE, pointOf, route, walk, type Place } from "../src/tables/yut/board";
import { NONE, confirm, isNone, movable, picked, tapChip, tapPiece, usable } from "../src/tables/yut/choose";
import { furtherRules, throwsOf } from "../src/tables/yut/help";
import { late } from "../src/tables/yut/late";
import { Motion, THROW_MS, travelMs } from "../src/tables/yut/motion.svelte";
import { chips, isLegal, moveOf, moves, tableOf, type LegalMove, type YutTable } from "../src/tables/yut/moves";
import { lostThrows, notesOf } from "../src/tables/yut/notes";
import { moveName } from "../src/tables/yut/names";
import { shownBoard } from "../src/tables/yut/shown";
import { LOOKS } from "../src/tables/yut/sides";
import { TEXT } from "../src/tables/yut/text";
import { LANGUAGES } from "./languages";
import type { TableRoom } from "../src/tables/table";

interface Vectors {
  paths: { from: Place; steps: number; path: number[] }[];
  tables: { options: JsonObject; table: YutTable; moves: LegalMove[] }[];
}
const vectors = JSON.parse(
  readFileSync(new URL("./fixtures/yut_moves.json", import.meta.url), "utf8"),
) as Vectors;

describe("ways", () => {
  it("are those of the engine, from every node", () => {
    expect(vectors.paths.length).toBe(30 * 5);
    for (const { from, steps, path } of vectors.paths) expect(walk(from, steps), `${from} ${steps}`).toEqual(path);
  });

  it("of whole positions are those of the engine, with what each move does", () => {
    expect(vectors.tables.length).toBeGreaterThan(150);
    const seen = { captures: 0, finishes: 0, joins: 0, backdo: 0 };
    for (const { options, table, moves: told } of vectors.tables) {
      const once = told.filter((move) => table.pending.indexOf(table.pending[move.throw_index]!) === move.throw_index);
      const mine = moves(table, options);
      expect(mine.map(({ outcome: _, count: __, ...move }) => move)).toEqual(once);
      // What is told by the server is shown as it is.
      expect(moves({ ...table, legal_moves: told }, options)).toEqual(mine);
      for (const move of mine) {
        seen.captures += move.captures ? 1 : 0;
        seen.finishes += move.finishes ? 1 : 0;
        seen.joins += move.joins ? 1 : 0;
        seen.backdo += move.outcome === "backdo" ? 1 : 0;
      }
    }
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(10);
  });

  it("begin at the piece and end at the goal, for the eye", () => {
    expect(route("home", [1], 1)).toEqual([HOME, POINTS[1]]);
    expect(route(28, [0], "goal")).toEqual([POINTS[28], POINTS[0], GOAL]);
  });
});

describe("board", () => {
  const spots = [...POINTS, HOME, GOAL];
  const apart = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);

  it("has 29 nodes, so far apart that fingers fit between, all of them on it", () => {
    expect(POINTS.length).toBe(29);
    for (const [i, one] of spots.entries()) {
      for (const other of spots.slice(i + 1)) expect(apart(one, other)).toBeGreaterThanOrEqual(48);
      expect(Math.min(one.x, one.y, SIZE - one.x, SIZE - one.y)).toBeGreaterThanOrEqual(24);
    }
  });

  it("turns the way the game does, and its diagonals are straight", () => {
    expect(POINTS[0]).toEqual({ x: 276, y: 276 });
    expect([POINTS[5]!.y, POINTS[10]!.x, POINTS[15]!.y]).toEqual([24, 24, 276]);
    expect(POINTS[CENTRE]).toEqual({ x: 150, y: 150 });
    for (const node of [20, 21, 23, 24]) expect(POINTS[node]!.x + POINTS[node]!.y).toBe(SIZE);
    for (const node of [25, 26, 27, 28]) expect(POINTS[node]!.x).toBe(POINTS[node]!.y);
    for (const node of CORNERS) expect([24, 276]).toContain(pointOf(node).x);
  });
});

describe("choosing", () => {
  const table = {
    phase: "move",
    owed: 0,
    pending: ["yut", "gae", "yut"],
    board: { "3": { side: 0, count: 2 }, "5": { side: 1, count: 1 }, "7": { side: 1, count: 1 } },
    sides: { "0": { seats: [0], home: 1, done: 1 }, "1": { seats: [1], home: 2, done: 0 } },
    seat: 0,
    side: 0,
  } as unknown as YutTable;
  const found = moves(table, {});

  it("groups equal results and offers each once", () => {
    expect(chips(table.pending)).toEqual([
      { outcome: "yut", count: 2 },
      { outcome: "gae", count: 1 },
    ]);
    expect(found.map((move) => [move.throw_index, move.from, move.to])).toEqual([
      [0, 3, 7],
      [0, "home", 4],
      [1, 3, 5],
      [1, "home", 2],
    ]);
  });

  it("goes chip, piece, piece", () => {
    let { choice, send } = tapChip(NONE, found, "gae");
    expect([send, picked(choice, found), movable(choice, found)]).toEqual([null, null, [3, "home"]]);
    ({ choice, send } = tapPiece(choice, found, 3));
    expect([send, picked(choice, found)?.to, picked(choice, found)?.captures]).toEqual([null, 5, 1]);
    ({ choice, send } = tapPiece(choice, found, 3));
    expect([send?.throw_index, send?.from, isNone(choice)]).toEqual([1, 3, true]);
  });

  it("goes piece, chip, chip", () => {
    let { choice, send } = tapPiece(NONE, found, "home");
    expect([send, picked(choice, found), usable(choice, found)]).toEqual([null, null, ["yut", "gae"]]);
    ({ choice, send } = tapChip(choice, found, "yut"));
    expect([send, picked(choice, found)?.to]).toEqual([null, 4]);
    ({ choice, send } = tapChip(choice, found, "yut"));
    expect([send?.throw_index, send?.from]).toEqual([0, "home"]);
  });

  it("may be changed and taken back, and nothing is sent by that", () => {
    let tap = tapChip(NONE, found, "gae");
    tap = tapPiece(tap.choice, found, 3);
    tap = tapPiece(tap.choice, found, "home");
    expect([tap.send, picked(tap.choice, found)?.to]).toEqual([null, 2]);
    tap = tapChip(tap.choice, found, "gae"); // back to the throw alone
    expect([tap.send, tap.choice.outcome, tap.choice.from]).toEqual([null, "gae", null]);
    tap = tapChip(tap.choice, found, "gae");
    expect([tap.send, isNone(tap.choice)]).toEqual([null, true]);
    tap = tapPiece(NONE, found, 3);
    tap = tapPiece(tap.choice, found, 3);
    expect([tap.send, isNone(tap.choice)]).toEqual([null, true]);
    expect(confirm(NONE, found).send).toBeNull();
  });

  it("needs no chip where there is one kind, but still two taps", () => {
    const one = moves({ ...table, pending: ["gae"] }, {});
    const first = tapPiece(NONE, one, 3);
    expect([first.send, picked(first.choice, one)?.to]).toEqual([null, 5]);
    expect(tapPiece(first.choice, one, 3).send?.from).toBe(3);
  });

  it("knows what is legal, and which move a suggestion means", () => {
    expect(isLegal(found[0]!, [{ type: "move", throw_index: 0, from: 3 }])).toBe(true);
    expect(isLegal(found[0]!, [{ type: "move", throw_index: 1, from: 3 }])).toBe(false);
    expect(isLegal(found[0]!, null)).toBe(false);
    expect(moveOf(found, table, { type: "move", throw_index: 2, from: 3 })).toBe(found[0]);
    for (const strange of [{ type: "move", throw_index: 9, from: 3 }, { type: "move", from: {} }, { type: "throw" }]) {
      expect(moveOf(found, table, strange as never)).toBeNull();
    }
    expect(tableOf(null) ?? tableOf({ dice: [1] })).toBeNull();
  });

  it("is told in words, in every language", () => {
    expect(moveName(TEXT.ko, table, found[0]!)).toBe("3번 칸의 말 2개: 7번 칸으로 이동, 잡기");
    expect(moveName(TEXT.en, table, found[1]!)).toBe("A waiting piece: move to spot 4");
    const [ko, ...others] = Object.values(TEXT).map((text) => Object.keys(text).sort());
    for (const keys of others) expect(keys).toEqual(ko);
  });
});

describe("motion", () => {
  const view = (turn: number) => ({ phase: "playing", turn, acting: [turn % 2], seats: {} }) as unknown as RoomView;
  const item = (n: number, event: JsonObject & { type: string }, live = true): LogItem => ({ key: `R/1:${n}`, event, at_ms: null, live });
  const state = (turn: number, log: LogItem[]): RoomState => ({ ...EMPTY, game: "R/1", version: turn, view: view(turn), log });
  const thrown = { type: "thrown", result: "gae", sticks: [true, true, false, false] };
  const moved = { type: "moved", side: 0, from: 3, to: 5, path: [4, 5], count: 1 };
  const may = { visible: true, show: () => may.visible, calm: () => false };

  beforeEach(() => {
    may.visible = true;
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it("shows a throw for 0.8 s and holds the table as it was", () => {
    const first = state(1, [item(1, { type: "began" })]);
    const motion = new Motion(first, may);
    motion.see(state(2, [...first.log, item(2, thrown), item(3, { type: "discarded", throws: ["backdo"] })]));
    expect(motion.now).toMatchObject({ kind: "throw", key: "R/1:2", ms: THROW_MS, before: first });
    const room = late({ state: state(2, []), view: view(2), myTurn: false, seat: 1 } as unknown as TableRoom, () =>
      motion.now?.kind === "throw" ? motion.now.before : null,
    );
    expect([room.state.version, room.view?.turn, room.myTurn]).toEqual([1, 1, true]);
    vi.advanceTimersByTime(THROW_MS - 1);
    expect(motion.now).not.toBeNull();
    vi.advanceTimersByTime(1);
    expect([motion.now, room.state.version, room.myTurn]).toEqual([null, 2, false]);
  });

  it("starts once an event, only the last of several, and never what was there before", () => {
    const before = state(4, [item(1, thrown), item(2, moved)]);
    const motion = new Motion(before, may);
    motion.see({ ...before });
    expect(motion.now).toBeNull();
    const burst = state(6, [...before.log, item(3, thrown), item(4, moved), item(5, { type: "captured", node: 5 })]);
    motion.see(burst);
    expect(motion.now).toMatchObject({ kind: "move", key: "R/1:4", after: { type: "captured" } });
    const play = motion.now;
    motion.see({ ...burst, names: {} });
    expect(motion.now).toBe(play);
    motion.see(state(7, [...burst.log, item(6, thrown)])); // the next one ends what is still moving
    expect(motion.now).toMatchObject({ kind: "throw", key: "R/1:6" });
  });

  it("is not for a hidden page, what came while we were away, or another game", () => {
    const first = state(1, [item(1, { type: "began" })]);
    may.visible = false;
    const motion = new Motion(first, may);
    const second = state(2, [...first.log, item(2, thrown)]);
    motion.see(second);
    may.visible = true;
    motion.see({ ...second });
    expect(motion.now).toBeNull();
    const third = state(3, [...second.log, item(3, thrown, false)]);
    motion.see(third);
    expect(motion.now).toBeNull();
    motion.see({ ...state(1, [item(9, thrown)]), game: "R/2" });
    expect(motion.now).toBeNull();
  });

  it("takes at most 1.5 s however far a piece goes, and 120 to 180 ms a node", () => {
    for (let nodes = 1; nodes <= 6; nodes++) {
      expect(travelMs(nodes) / nodes).toBeGreaterThanOrEqual(120);
      expect(travelMs(nodes) / nodes).toBeLessThanOrEqual(180);
    }
    const motion = new Motion(state(1, [item(1, thrown)]), may);
    const far = { ...moved, path: [1, 2, 3, 4, 5], to: "goal" };
    motion.see(state(2, [item(1, thrown), item(2, far), item(3, { type: "captured", node: 5 })]));
    expect(motion.now!.ms).toBeLessThanOrEqual(1500);
  });

  it("leaves the goal as it was until the stack has come", () => {
    const play = { kind: "move", key: "k", ms: 1, travel_ms: 1, moved: { ...moved, count: 2 }, after: null } as const;
    const board = { "5": { side: 0, count: 3 }, "9": { side: 1, count: 1 } };
    expect(shownBoard(board, play)).toEqual([
      { node: 5, side: 0, count: 1 },
      { node: 9, side: 1, count: 1 },
    ]);
    expect(shownBoard({ "5": { side: 0, count: 2 } }, play)).toEqual([]);
    expect(shownBoard(board, null).length).toBe(2);
  });

  it("tells a lost result with its rule until something is played", () => {
    const log = [item(1, thrown), item(2, { type: "discarded", throws: ["backdo"] }), item(3, { type: "turn_changed" })];
    expect(lostThrows(log)).toEqual(["backdo"]);
    const { catalogue } = LANGUAGES.ko;
    expect(notesOf(catalogue, TEXT.ko, log).join(" ")).toContain("빽도는 판 위의 말만");
    expect(notesOf(catalogue, TEXT.ko, [...log, item(4, thrown)])).toEqual([]);
    expect(notesOf(catalogue, TEXT.ko, [item(1, { type: "nak" })])).toEqual([TEXT.ko.nak]);
  });
});

describe("sides", () => {
  // Linear RGB as people with each deficiency see it (Machado, Oliveira, Fernandes 2009, severity 1), and without colour.
  const SEEN: Record<string, number[][]> = {
    everyone: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
    grey: [[0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722]],
  };
  const linear = (hex: string) =>
    [1, 3, 5].map((i) => {
      const value = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
  const seen = (rgb: number[], matrix: number[][]) =>
    matrix.map((row) => Math.min(1, Math.max(0, row.reduce((sum, part, i) => sum + part * rgb[i]!, 0))));
  function lab(rgb: number[]): number[] {
    const xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]].map((row) =>
      row.reduce((sum, part, i) => sum + part * rgb[i]!, 0),
    );
    const [x, y, z] = xyz.map((value, i) => {
      const t = value / [0.9505, 1, 1.089][i]!;
      return t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
    }) as [number, number, number];
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  }
  const light = (hex: string) => linear(hex).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i]!, 0);

  it("differ in shape and letter", () => {
    expect(new Set(LOOKS.map((look) => look.shape)).size).toBe(4);
    expect(new Set(LOOKS.map((look) => look.letter)).size).toBe(4);
  });

  it("differ in colour for everyone, under three kinds of colour blindness and in grey", () => {
    for (const [kind, matrix] of Object.entries(SEEN)) {
      for (const [i, one] of LOOKS.entries()) {
        for (const other of LOOKS.slice(i + 1)) {
          const [a, b] = [one, other].map((look) => lab(seen(linear(look.fill), matrix)));
          const apart = Math.hypot(...a!.map((part, axis) => part - b![axis]!));
          expect(apart, `${kind}: ${one.letter} and ${other.letter}`).toBeGreaterThan(12);
        }
      }
    }
  });

  it("have letters that can be read", () => {
    for (const { fill, ink } of LOOKS) {
      const [low, high] = [light(fill), light(ink)].sort((a, b) => a - b);
      expect((high! + 0.05) / (low! + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe("rules in words and pictures", () => {
  const told = (options: JsonObject) => furtherRules(TEXT.ko, options);

  it("show for each result sticks that give it", () => {
    const steps = ["mo", "do", "gae", "geol", "yut"];
    for (const { outcome, sticks } of throwsOf({})) {
      const flat = sticks.filter(Boolean).length;
      expect(outcome).toBe(flat === 1 && sticks[0] ? "backdo" : steps[flat]);
    }
    expect(throwsOf({}).length).toBe(6);
    expect(throwsOf({ backdo: false }).map(({ outcome }) => outcome)).not.toContain("backdo");
  });

  it("are those that the room has", () => {
    expect(told({})).toEqual([TEXT.ko.help_pass, TEXT.ko.help_backdo, TEXT.ko.help_backdo_start]);
    expect(told({ finishRule: "reach", backdo: false, nakPercent: 0 })).toEqual([TEXT.ko.help_reach]);
    expect(told({ backdoFromDo: "finish", backdoCaptureBonus: false, nakPercent: 3 }).slice(1)).toEqual([
      TEXT.ko.help_backdo,
      TEXT.ko.help_backdo_out,
      TEXT.ko.help_backdo_capture,
      TEXT.ko.help_nak({ n: 3 }),
    ]);
  });
});
