// Goal: the form offers all that the server takes and nothing that it refuses, and what is refused all the same is told in
// words. Method: the engine's own verdicts on every pair of options (tests/engine/options_table.py), and details as it sends them.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LANGUAGES } from "./languages";
import { ko } from "../src/lib/i18n/ko";
import { complete, fitting, formOf, playerCounts, sparse, summary, withChoice, type Field } from "../src/lib/options";
import { gameNote } from "../src/lib/terms";
import { numbersText, refusalText, startTrouble } from "../src/lib/refusal";
import type { Json, JsonObject, RoomView } from "../src/lib/view";
import type { GameInfo } from "../src/lib/wire";

interface Verdicts {
  info: GameInfo;
  refused: JsonObject[];
  seats: [JsonObject, number[]][];
}
const GAMES = JSON.parse(readFileSync(new URL("./fixtures/options.json", import.meta.url), "utf8")) as Verdicts[];
const game = (name: string) => GAMES.find((one) => one.info.name === name)!;

function valuesOf(field: Field): Json[] {
  if (field.kind === "choice") return field.values.filter((value) => value !== null);
  if (field.kind === "switch") return [true, false];
  if (field.kind === "number") return Array.from({ length: field.max! - field.min! + 1 }, (_, i) => field.min! + i);
  throw new Error(`${field.name} is ${field.kind}`);
}

/** Every value alone, and beside every value of every other option. */
function choices(form: Field[]): JsonObject[] {
  const all = form.flatMap((field) => valuesOf(field).map((value) => ({ name: field.name, value })));
  const pairs = all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b] as const));
  return [
    ...all.map(({ name, value }) => ({ [name]: value })),
    ...pairs.filter(([a, b]) => a.name !== b.name).map(([a, b]) => ({ [a.name]: a.value, [b.name]: b.value })),
  ];
}

/** Whether a form that is filled in like this shows each of these values. */
function shown(form: Field[], chosen: JsonObject): boolean {
  const offered = fitting(form, chosen);
  return Object.entries(chosen).every(([name, value]) => {
    const field = offered.find((one) => one.name === name);
    return field !== undefined && valuesOf(field).includes(value);
  });
}

describe.each(GAMES.map((one) => [one.info.name, one] as const))("the options of %s", (_, { info, refused, seats }) => {
  const form = formOf(info);
  const key = (options: JsonObject) => JSON.stringify(Object.entries(options).sort());
  const no = new Set(refused.map(key));

  it("are offered exactly where the server takes them", () => {
    const wrong = choices(form).filter((chosen) => shown(form, chosen) === no.has(key(chosen)));
    expect(wrong).toEqual([]);
    expect(no.size).toBeGreaterThan(10);
  });

  it("are sent without what means nothing beside the rest", () => {
    for (const chosen of choices(form)) {
      const sent = sparse(form, { ...complete(form, undefined), ...chosen });
      for (const field of form.filter((one) => one.fits && one.name in sent)) {
        const others = Object.keys(field.fits![0]!.needs);
        const beside = others.map((name) => [name, sent[name] ?? form.find((one) => one.name === name)!.default]);
        expect(no.has(key({ ...Object.fromEntries(beside), [field.name]: sent[field.name]! }))).toBe(false);
      }
    }
  });

  it("take as many players as the server says", () => {
    for (const [options, counts] of seats) expect([options, playerCounts(info, options)]).toEqual([options, counts]);
  });

  it("have no choice that only says: as usual", () => {
    for (const [scoring] of [["yacht51"], ["yahtzee"], ["traditional"]] as const) {
      for (const field of fitting(form, { scoring })) {
        if (field.fits && field.kind === "choice") expect(field.values).not.toContain(null);
        if (field.fits) expect(valuesOf(field)).toContain(field.default);
      }
    }
  });
});

describe("house rules", () => {
  const { info } = game("yacht");
  const form = formOf(info);
  const line = (options: JsonObject) => summary(ko, form, options).map((part) => part.text);

  it("are told in the line of the set that has them, and nowhere else", () => {
    const touched = { scoring: "traditional", upperBonus: 35, fullHouseScore: 25, bigStraightScore: 40 };
    const chosen = Object.entries(touched).reduce(
      (options, [name, value]) => withChoice(form, options, name, value),
      complete(form, undefined),
    );
    expect(sparse(form, chosen)).toEqual(touched);
    expect(line(chosen)).toEqual(
      expect.arrayContaining(["상단 보너스 35점", "풀 하우스 점수 25점", "리틀 스트레이트 점수 30점", "빅 스트레이트 점수 40점"]),
    );
    expect(line({ ...chosen, scoring: "yahtzee" }).join()).not.toMatch(/상단 보너스|빅 스트레이트/);
    expect(sparse(form, withChoice(form, chosen, "scoring", "yahtzee"))).toEqual({ scoring: "yahtzee" });
  });
});

describe("the line of rules", () => {
  const form = formOf(game("yut").info);
  const line = (options: JsonObject) => summary(ko, form, { ...complete(form, options), ...options }).map((part) => part.text).join(" · ");

  it("says what is on, and nothing that means nothing in the mode", () => {
    expect(line({})).toContain("빽도 켬");
    expect(line({})).toContain("빽도로 잡아도 한 번 더 켬");
    expect(line({})).not.toContain("팀 기권");
    expect(line({ mode: "team" })).toContain("팀 기권 모두 기권하면");
    expect(line({ mode: "team" })).not.toContain("순위");
    expect(line({ backdo: false })).not.toMatch(/도 자리의 빽도|잡아도/);
    expect(gameNote(ko, "yut")).toBe("윷·모로 잡아도 한 번 더");
    expect(gameNote(ko, "yacht")).toBe("");
  });
});

it("a form whose rule set changes follows what is usual there, and keeps what was chosen", () => {
  const form = formOf(game("yacht").info);
  const first = complete(form, undefined);
  expect(first).toMatchObject({ fullHouseAllowsYacht: true, fourKindScore: "allFive" });
  const other = withChoice(form, first, "scoring", "traditional");
  expect(other).toMatchObject({ fullHouseAllowsYacht: false, fourKindScore: "fourOnly", upperBonus: "none" });
  const chosen = withChoice(form, withChoice(form, first, "fourKindScore", "fourOnly"), "turnSeconds", null);
  expect(sparse(form, chosen)).toEqual({ fourKindScore: "fourOnly", turnSeconds: null });
  expect(sparse(form, withChoice(form, other, "fourKindScore", "allFive"))).toEqual({ scoring: "traditional", fourKindScore: "allFive" });
});

describe("refusals", () => {
  const said = (code: string, detail: object) =>
    Object.values(LANGUAGES).map(({ catalogue }) => refusalText(catalogue, { code, said: "서버의 말", detail }));

  it("name both options that do not go together", () => {
    const detail = { field: "yahtzeeJoker", expected: { scoring: ["yahtzee"] }, got: "free", beside: { scoring: "yacht51" } };
    const [inKo, inEn, inMs] = said("bad_options", detail);
    expect(inKo).toBe("함께 쓸 수 없는 규칙이에요: ‘조커 규칙 자유롭게’ – ‘점수표 기본 12칸’");
    expect(inEn).toContain("Joker rule");
    expect(inEn).toMatch(/Score ?(sheet|table|set)|Rules|Scoring/i);
    for (const one of [inEn, inMs]) expect(one).not.toMatch(/[가-힣]|yahtzee|undefined|null/);
  });

  it("say how many a mode takes, and that seats must have no gap", () => {
    const detail = { field: "seats", expected: [2, 3, 4], got: 5, beside: { mode: "individual" } };
    expect(said("bad_options", detail)[0]).toBe("개인전: 2–4명이 해요. 지금은 5명이 앉아 있어요.");
    const row = { field: "seats", expected: [0, 1, 2, 3], got: [0, 1, 3, 4], beside: { mode: "team" } };
    expect(said("bad_options", row)[0]).toBe("팀전: 1번부터 4번 자리까지 빈 자리 없이 앉아야 해요.");
    for (const one of [...said("bad_options", detail), ...said("bad_options", row)].slice(1)) expect(one).toMatch(/[2-4]/);
    expect(numbersText([4, 6, 8])).toBe("4, 6, 8");
  });

  it("name the box that a further yacht must go into", () => {
    const one = said("forced_box", { field: "category", expected: ["fives"], got: "choice" });
    expect(one[0]).toBe("이 요트는 먼저 이 칸에 넣어야 해요: 파이브");
    for (const text of one) expect(text).not.toContain("○");
  });

  it("of a value that is not allowed name the option", () => {
    expect(said("bad_options", { field: "turnSeconds", expected: "…", got: 7 })[0]).toMatch(/^제한 시간: /);
    expect(said("not_your_turn", {})[0]).toBe(ko.codes.not_your_turn);
  });
});

describe("the lobby", () => {
  const yut = game("yut").info;
  const trouble = (taken: number[], options: JsonObject) => {
    const seats = Object.fromEntries(taken.map((seat) => [String(seat), { player: `p${seat}` }]));
    return startTrouble(ko, yut, { seats, options } as unknown as RoomView, playerCounts(yut, options));
  };

  it("says before the start what would be refused", () => {
    expect(trouble([0, 1, 2, 3], { mode: "individual" })).toBeNull();
    expect(trouble([1, 5], { mode: "individual" })).toBeNull();
    expect(trouble([0, 1, 2, 3, 4], { mode: "individual" })).toContain("2–4명");
    expect(trouble([0, 1, 2], { mode: "team" })).toContain("4, 6, 8명");
    expect(trouble([0, 1, 3, 4], { mode: "team" })).toContain("빈 자리 없이");
    expect(trouble([0, 1, 2, 3], { mode: "team" })).toBeNull();
  });
});
