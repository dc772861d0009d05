// Goal: what the drawn Yacht table works out by itself is what the engine does: which boxes a rule set has, what each box is
// now, what the button says, what a key means, what moves. Method: the engine's own source and views as it sends them.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { asks, isAsking } from "../src/tables/yacht/asking.svelte";
import { Holds } from "../src/tables/yacht/holds.svelte";
import { neighbour, shortcut, type Key } from "../src/tables/yacht/keys";
import { bonus, cell, columns, furtherYacht, read, rollState, sheetOf } from "../src/tables/yacht/model";
import { FADE_MS, Motion, PARTY_MS, ROLL_MS, after, thrown, yachtWritten } from "../src/tables/yacht/motion.svelte";
import { SETS, TARGET, UPPER, example, isUpper, rulesOf } from "../src/tables/yacht/rules";
import { TEXTS, furtherRules, ruleText } from "../src/tables/yacht/text";
import type { LogItem } from "../src/lib/state";
import type { JsonObject } from "../src/lib/view";

const NONE = [false, false, false, false, false];

describe("rule sets", () => {
  const source = readFileSync(new URL("../../../engine/games/yacht/scoring.py", import.meta.url), "utf8");
  const list = (name: string) => {
    const items = new RegExp(`^${name} = \\(\\*UPPER, (.+)\\)$`, "m").exec(source)?.[1] ?? "";
    return [...UPPER, ...[...items.matchAll(/"(\w+)"/g)].map(([, box]) => box)];
  };

  it("are the engine's", () => {
    expect(source).toContain(`UPPER_TARGET = ${TARGET}\n`);
    for (const [name, rules] of Object.entries(SETS)) {
      const given = new RegExp(`"${name}": Rules\\((.+)\\),`).exec(source)?.[1]?.split(", ") ?? [];
      const flag = (value: boolean) => (value ? "True" : "False");
      expect(given.slice(1)).toEqual([
        String(rules.upperBonus),
        String(rules.small),
        String(rules.large),
        flag(rules.exactStraights),
        String(rules.fullHouse),
        flag(rules.fiveIsFull),
        flag(rules.fourOnly),
        JSON.stringify(rules.joker),
      ]);
      expect(rules.boxes).toEqual(list(given[0]!));
    }
    expect(Object.keys(SETS)).toHaveLength([...source.matchAll(/": Rules\(/g)].length);
  });

  it("take the host's options, and the usual one when nothing is said", () => {
    expect(rulesOf({})).toEqual(SETS.yacht51);
    expect(rulesOf({ fullHouseAllowsYacht: false, fourKindScore: "fourOnly" })).toMatchObject({ fiveIsFull: false, fourOnly: true });
    expect(rulesOf({ scoring: "yahtzee", yahtzeeJoker: "free" }).joker).toBe("free");
    expect(rulesOf({ scoring: "traditional" }).upperBonus).toBe(0);
    const house = { upperBonus: 50, fullHouseScore: 25, littleStraightScore: 15, bigStraightScore: 40 };
    expect(rulesOf({ scoring: "traditional", ...house })).toMatchObject({ upperBonus: 50, fullHouse: 25, small: 15, large: 40 });
    expect(rulesOf({ scoring: "traditional", upperBonus: "none", fullHouseScore: "sum" })).toEqual(SETS.traditional);
  });

  it("explain each of their boxes in every language, without a trademark", () => {
    for (const text of Object.values(TEXTS)) {
      for (const sentence of Object.values(text)) if (typeof sentence === "string") expect(sentence).not.toBe("");
      const house = rulesOf({ scoring: "traditional", upperBonus: 35, fullHouseScore: 40, fullHouseAllowsYacht: true });
      expect(furtherRules(text, house)).toEqual([text.rule_bonus({ target: 63, n: 35 })]);
      expect(ruleText(text, house, "fullHouse")).toContain("40");
      for (const rules of [...Object.values(SETS), rulesOf({ scoring: "yahtzee", yahtzeeJoker: "free" }), house]) {
        const said = [...rules.boxes.map((box) => ruleText(text, rules, box)), ...furtherRules(text, rules)];
        expect(new Set(said).size).toBe(said.length);
        for (const one of said) expect(one).not.toMatch(/yahtzee|야찌|undefined|clubhouse|\b51\b/i);
        for (const box of rules.boxes) expect(example(box, rules)).toHaveLength(5);
      }
    }
    const { ko } = TEXTS;
    expect(ko.ask({ box: "식스", points: 24 })).toBe("식스에 24점 기록할까요?");
    expect(ko.bonus_left({ target: 63, n: 12 })).toBe("63까지 12점 남음");
    expect(ruleText(ko, rulesOf({ scoring: "yahtzee" }), "fullHouse")).toContain("25점");
  });
});

const SHEETS = {
  "0": { scores: { yacht: 50, sixes: 24 }, upper: 24, upper_bonus: 0, lower: 50, yacht_bonus: 0, total: 74 },
  "1": { scores: {}, upper: 0, upper_bonus: 0, lower: 0, yacht_bonus: 0, total: 0 },
};
const view = (more: JsonObject = {}) =>
  read({ order: [1, 0], current: 0, round: 3, rounds: 13, rolls_used: 1, held: NONE, conceded: [], sheets: SHEETS, ...more });
const FIVES = { dice: [5, 5, 5, 5, 5], preview: { fives: 25 } };

describe("boxes", () => {
  const joker = rulesOf({ scoring: "yahtzee" });

  it("are filled, on offer, open, or locked with the reason", () => {
    const table = view(FIVES);
    expect(cell(table, joker, 0, "sixes")).toEqual({ kind: "filled", points: 24 });
    expect(cell(table, joker, 0, "fives")).toEqual({ kind: "offer", points: 25 });
    expect(cell(table, joker, 0, "largeStraight")).toEqual({ kind: "locked", first: "fives" });
    expect(cell(table, joker, 1, "largeStraight")).toEqual({ kind: "open" });
    expect(cell(view(), joker, 0, "fives")).toEqual({ kind: "open" });
  });

  it("above are locked for the lower ones once the box of that face is filled", () => {
    const scores = { yacht: 50, fives: 20 };
    const table = view({ dice: [5, 5, 5, 5, 5], preview: { fullHouse: 25 }, sheets: { "0": { scores } } });
    expect(cell(table, joker, 0, "ones")).toEqual({ kind: "locked", first: "lower" });
  });

  it("tell nothing of the seat in turn when the host keeps the preview to it", () => {
    expect(cell(view({ dice: [5, 5, 5, 5, 5] }), joker, 0, "ones")).toEqual({ kind: "open" });
  });

  it("bring a bonus for a further yacht only over fifty, and only where the rules have it", () => {
    expect(furtherYacht(view(FIVES), joker, 0)).toBe(100);
    expect(furtherYacht(view(FIVES), rulesOf({}), 0)).toBe(0);
    expect(furtherYacht(view(FIVES), joker, 1)).toBe(0);
    expect(furtherYacht(view({ ...FIVES, dice: [5, 5, 5, 5, 4] }), joker, 0)).toBe(0);
  });

  it("survive a view that is not there", () => {
    const table = read(undefined);
    expect(table.dice).toBeNull();
    expect(table.held).toEqual(NONE);
    expect(sheetOf(table, 3).total).toBe(0);
    expect(columns(table, 3)).toEqual([]);
    expect(columns(view(), 0)).toEqual([0, 1]);
  });
});

describe("the upper bonus", () => {
  const rules = rulesOf({});
  const of = (scores: Record<string, number>, more: JsonObject = {}) => {
    const upper = Object.values(scores).reduce((sum, n) => sum + n, 0);
    return bonus(sheetOf(view({ sheets: { "0": { scores, upper, ...more } } }), 0), rules);
  };

  it("is so far away, won, out of reach, or not in the rules", () => {
    expect(of({})).toEqual({ kind: "open", left: 63, pace: 0 });
    expect(of({ sixes: 24, ones: 2 })).toEqual({ kind: "open", left: 37, pace: 5 });
    expect(of({ sixes: 12 })).toEqual({ kind: "open", left: 51, pace: -6 });
    expect(of({ sixes: 30, fives: 25, fours: 8 }, { upper_bonus: 35 })).toEqual({ kind: "won", points: 35 });
    expect(of({ sixes: 0, fives: 0 })).toEqual({ kind: "lost" });
    expect(of({ sixes: 12, fives: 5, fours: 0 })).toEqual({ kind: "lost" });
    expect(bonus(sheetOf(view(), 0), rulesOf({ scoring: "traditional" }))).toEqual({ kind: "none" });
  });
});

describe("the roll button", () => {
  it.each([
    ["wait", {}, false, NONE, false],
    ["first", {}, true, NONE, false],
    ["again", { dice: [1, 2, 3, 4, 5] }, true, NONE, false],
    ["all_held", { dice: [1, 2, 3, 4, 5] }, true, NONE.map(() => true), false],
    ["none_left", { dice: [1, 2, 3, 4, 5], rolls_used: 3 }, true, NONE, false],
    ["sending", { dice: [1, 2, 3, 4, 5] }, true, NONE, true],
  ] as const)("says %s", (state, more, mine, held, sending) => {
    expect(rollState(view(more as unknown as JsonObject), mine, held, sending)).toBe(state);
  });
});

describe("keys", () => {
  const press = (key: string, code: string, more: Partial<Key> = {}, plain = true) => shortcut({ key, code, ...more }, plain);

  it("roll, hold and help", () => {
    expect(press("r", "KeyR")).toEqual({ kind: "roll" });
    expect(press(" ", "Space")).toEqual({ kind: "roll" });
    expect(press("3", "Digit3")).toEqual({ kind: "hold", index: 2 });
    expect(press("5", "Numpad5")).toEqual({ kind: "hold", index: 4 });
    expect(press("?", "Slash")).toEqual({ kind: "help" });
    expect(press("6", "Digit6")).toBeNull();
    expect(press("Enter", "Enter")).toBeNull();
  });

  it("are the same with a Korean layout, and by letter with another Latin one", () => {
    expect(press("ㄱ", "KeyR")).toEqual({ kind: "roll" });
    expect(press("p", "KeyR")).toBeNull();
    expect(press("r", "KeyO")).toEqual({ kind: "roll" });
    expect(press("&", "Digit1")).toBeNull();
  });

  it("mean nothing while something is composed, with a modifier, or held down; nor Space on a button", () => {
    expect(press("r", "KeyR", { isComposing: true })).toBeNull();
    expect(press("Process", "KeyR", { keyCode: 229 })).toBeNull();
    expect(press("r", "KeyR", { ctrlKey: true })).toBeNull();
    expect(press("r", "KeyR", { metaKey: true })).toBeNull();
    expect(press("r", "KeyR", { repeat: true })).toBeNull();
    expect(press(" ", "Space", {}, false)).toBeNull();
  });

  it("go from box to box over those that cannot be chosen", () => {
    const { boxes } = SETS.yacht51!;
    const sides = [boxes.filter(isUpper), boxes.filter((box) => !isUpper(box))];
    const free = new Set(["ones", "threes", "sixes", "fullHouse", "yacht"]);
    const go = (from: Parameters<typeof neighbour>[2], key: string) => neighbour(sides, (box) => free.has(box), from, key);
    expect(go("ones", "ArrowDown")).toBe("threes");
    expect(go("sixes", "ArrowUp")).toBe("threes");
    expect(go("ones", "ArrowUp")).toBeNull();
    expect(go("ones", "ArrowRight")).toBe("fullHouse");
    expect(go("yacht", "ArrowLeft")).toBe("sixes");
    expect(go("yacht", "ArrowRight")).toBeNull();
    expect(go("yacht", "Tab")).toBeNull();
  });
});

describe("motion", () => {
  const DICE = [1, 2, 3, 4, 5];
  const item = (n: number, event: JsonObject, live = true): LogItem => ({
    key: `K/1:${n}`,
    event: event as LogItem["event"],
    at_ms: null,
    live,
  });
  const roll = (n: number, more: JsonObject = {}, live = true) => item(n, { type: "rolled", seat: 0, dice: DICE, ...more }, live);
  const first = item(1, { type: "dealt", order: [0] });

  it("is of the newest roll that we saw and that still lies there, without the dice that were held", () => {
    const held = [true, false, false, false, true];
    expect(thrown([roll(2)], DICE)).toEqual([true, true, true, true, true]);
    expect(thrown([roll(2, { held })], DICE)).toEqual([false, true, true, true, false]);
    expect(thrown([roll(2, {}, false)], DICE)).toBeNull();
    expect(thrown([roll(2)], null)).toBeNull();
    expect(thrown([roll(2)], [1, 1, 1, 1, 1])).toBeNull();
    expect(after([first, roll(2)], "K/1:1")).toHaveLength(1);
    expect(after([first, roll(2)], "K/1:9")).toEqual([]);
  });

  it("comes once, never for what was there before, and not when nobody looks", () => {
    const motion = new Motion();
    motion.see([first, roll(2)], DICE, true, false);
    expect(motion.flying).toBeNull();
    motion.see([first, roll(2), roll(3)], DICE, false, false);
    expect(motion.flying).toBeNull();
    motion.see([first, roll(2), roll(3)], DICE, true, false);
    expect(motion.flying).toBeNull();
    motion.see([first, roll(2), roll(3), roll(4)], DICE, true, false);
    expect(motion.flying).not.toBeNull();
    motion.skip();
    motion.see([first, roll(2), roll(3), roll(4)], DICE, true, false);
    expect(motion.flying).toBeNull();
    motion.see([first, roll(2), roll(3), roll(4), roll(5)], DICE, true, true);
    expect([motion.flying, motion.fading?.length]).toEqual([null, 5]);
    motion.stop();
  });

  it("is short", () => {
    expect([ROLL_MS, FADE_MS <= 150, PARTY_MS <= 2000]).toEqual([600, true, true]);
    const drawn = readFileSync(new URL("../src/tables/yacht/RollDie.svelte", import.meta.url), "utf8");
    expect(drawn).toContain(`animation: tumble ${ROLL_MS}ms`);
  });

  it("celebrates a yacht that was written for points, or for a further bonus", () => {
    const scored = (more: JsonObject, live = true) => [item(2, { type: "scored", seat: 0, ...more }, live)];
    expect(yachtWritten(scored({ category: "yacht", points: 50 }))).toBe(true);
    expect(yachtWritten(scored({ category: "fives", points: 25, bonus: 100 }))).toBe(true);
    expect(yachtWritten(scored({ category: "yacht", points: 0 }))).toBe(false);
    expect(yachtWritten(scored({ category: "choice", points: 30 }))).toBe(false);
    expect(yachtWritten(scored({ category: "yacht", points: 50 }, false))).toBe(false);
  });
});

describe("holds", () => {
  it("count at once, and the server has the last word", async () => {
    let server = NONE;
    const answers: ((kind: "done" | "rejected") => void)[] = [];
    const asked: boolean[][] = [];
    const holds = new Holds(
      () => server,
      (held) => {
        asked.push(held);
        const reject = { type: "reject", code: "same_hold", text: "" } as const;
        return new Promise((answer) => answers.push((kind) => answer(kind === "done" ? { kind } : { kind, reject })));
      },
    );
    const both = [holds.toggle(0), holds.toggle(2)];
    expect(holds.flags).toEqual([true, false, true, false, false]);
    expect(asked[1]).toEqual([true, false, true, false, false]);
    server = [true, false, false, false, false];
    answers[0]!("done");
    await both[0];
    expect(holds.flags).toEqual([true, false, true, false, false]); // the second is still on its way
    answers[1]!("rejected");
    await both[1];
    expect(holds.flags).toEqual(server);
  });
});

it("writing is asked about always, only for nothing, or never", () => {
  expect([asks("always", 24), asks("always", 0)]).toEqual([true, true]);
  expect([asks("zero", 24), asks("zero", 0)]).toEqual([false, true]);
  expect([asks("off", 24), asks("off", 0)]).toEqual([false, false]);
  expect([isAsking("zero"), isAsking("never"), isAsking(null)]).toEqual([true, false, false]);
});
