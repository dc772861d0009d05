// Goal: everything is told in words, in every language, and no name is ever more than text. Method: catalogues against the
// server's table of codes; events and views of known and unknown games; the sources searched for ways around escaping.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventText } from "../src/lib/events";
import { LANGUAGES } from "./languages";
import { pickLanguage } from "../src/lib/i18n";
import { seatName, sideName, type People } from "../src/lib/people";
import { ranking, shape } from "../src/lib/sheet";
import { codeText, gameName, humanise, term } from "../src/lib/terms";
import { readCode } from "../src/lib/api";
import { verdict } from "../src/lib/verdict";
import type { GameEvent, JsonObject, RoomView } from "../src/lib/view";

const { ko, en, ms } = {
  ko: LANGUAGES.ko.catalogue,
  en: LANGUAGES.en.catalogue,
  ms: LANGUAGES.ms.catalogue,
};
const people: People = {
  player: "p0",
  names: { p0: "민수", p1: "<img src=x onerror=alert(1)>" },
  view: {
    seats: { "0": { player: "p0", connected: true }, "1": { player: "p1", connected: true } },
    table: { sides: { "0": { seats: [0] }, "1": { seats: [1] } } },
  } as unknown as RoomView,
};

describe("codes", () => {
  const source = readFileSync(new URL("../../../schemas/codes.py", import.meta.url), "utf8");
  const rejects = source.slice(source.indexOf("REJECTS"), source.indexOf("CLOSES"));
  const codes = [...rejects.matchAll(/^\s+"([a-z_]+)": "(.+)",$/gm)];

  it("of the server all have a sentence in every language", () => {
    expect(codes.length).toBeGreaterThan(20);
    for (const [, code] of codes) {
      for (const { catalogue } of Object.values(LANGUAGES)) expect(Object.keys(catalogue.codes)).toContain(code);
    }
  });

  it("that are unknown fall back to what the server says, then to the code", () => {
    expect(codeText(en, "brand_new", "서버의 말", {})).toBe("서버의 말");
    expect(codeText(en, "brand_new", "", { brand_new: "게임의 말" })).toBe("게임의 말");
    expect(codeText(en, "brand_new", "")).toBe("brand new");
    expect(codeText(en, "toString", "")).toBe("to string");
  });
});

describe("languages", () => {
  it("leave no sentence and no word empty", () => {
    for (const { catalogue } of Object.values(LANGUAGES)) {
      for (const part of [catalogue.text, catalogue.codes, catalogue.terms]) {
        for (const value of Object.values(part)) if (typeof value === "string") expect(value).not.toBe("");
      }
    }
  });

  it("never show the trademarks, neither in sentences nor in what is made of identifiers", () => {
    const said = Object.values(LANGUAGES).flatMap(({ catalogue }) =>
      [catalogue.text, catalogue.codes, catalogue.terms].flatMap((part) => Object.values(part).map(String)),
    );
    for (const name of ["yahtzee", "yahtzeeBonus", "YAHTZEE_JOKER_2", "yacht51x", "clubhouse_51"]) {
      said.push(term(ko, name), humanise(name));
    }
    for (const text of said) expect(text).not.toMatch(/yahtzee|야찌|야추|clubhouse|worldwide|\b51\b/i);
  });

  it("are chosen by the player, else Korean if it is read at all, else the browser's", () => {
    expect(pickLanguage("ms", ["ko"])).toBe("ms");
    expect(pickLanguage(null, ["en-US", "ko-KR"])).toBe("ko");
    expect(pickLanguage("xx", ["fr", "ms-MY", "en"])).toBe("ms");
    expect(pickLanguage(null, ["fr"])).toBe("ko");
  });
});

describe("events", () => {
  const tell = (event: GameEvent) => eventText(ko, people, event);

  it("of the room and of games we know are sentences", () => {
    expect(tell({ type: "seated", seat: 0, player: "p0" })).toBe("민수가 자리에 앉았어요.");
    expect(tell({ type: "rolled", seat: 0, dice: [1, 2, 3, 4, 5] })).toBe("민수가 굴렸어요: 1 2 3 4 5");
    expect(tell({ type: "scored", seat: 0, category: "fullHouse", points: 25, bonus: 100, auto: true })).toBe(
      "민수가 풀 하우스에 25점을 적었어요. 요트 보너스 100점도 받았어요. (자동)",
    );
    expect(eventText(en, people, { type: "timed_out", turn: 1, seats: [0], cause: "absent", away: [0] })).toContain("away");
  });

  it("call a box as the rule set does", () => {
    const scored = (scoring: string, category: string) => {
      const view = { ...people.view, options: { scoring } } as unknown as RoomView;
      return eventText(ko, { ...people, view }, { type: "scored", seat: 0, category, points: 30 });
    };
    expect(scored("traditional", "smallStraight")).toContain("리틀 스트레이트");
    expect(scored("yacht51", "smallStraight")).toContain("스몰 스트레이트");
    expect(scored("yahtzee", "choice")).toContain("찬스");
    expect(scored("yacht51", "choice")).toContain("초이스");
  });

  it("around the game are sentences, too", () => {
    const events: GameEvent[] = [
      { type: "left", seat: 0, player: "p0", kicked: true },
      { type: "seat_changed", seat: 0, to: 3 },
      { type: "ready_set", seat: 0, ready: true },
      { type: "ready_set", seat: 0, ready: false },
      { type: "promised", seat: 0, nonce_hash: "00" },
      { type: "countdown_started", until_ms: 1 },
      { type: "countdown_stopped" },
      { type: "touched" },
      { type: "idle_warned", closes_ms: 1 },
      { type: "closed", reason: "idle" },
      { type: "rematch_voted", seat: 0, want: true },
      { type: "rematch_agreed", host: "p0", seated: ["p0"] },
    ];
    for (const { catalogue } of Object.values(LANGUAGES)) {
      for (const event of events) expect(eventText(catalogue, people, event)).toMatch(/[.!요]$/);
    }
    expect(tell(events[0]!)).toBe("방장이 민수를 내보냈어요.");
    expect(tell(events[1]!)).toBe("1번과 4번 자리가 바뀌었어요.");
  });

  it("of a board are sentences in every language, with nothing left as a field", () => {
    const step = { throw_index: 0, path: [3], cut: 0, turn: 4, since_ms: 5 };
    const events: GameEvent[] = [
      { type: "thrown", seat: 0, sticks: [true, true, true, false], result: "geol", turn: 2, since_ms: 3, owed: 0 },
      { type: "nak", seat: 0, turn: 2, since_ms: 3 },
      { type: "moved", side: 0, result: "geol", from: "home", to: 3, count: 1, ...step },
      { type: "moved", side: 0, result: "gae", from: 3, to: 5, count: 2, ...step },
      { type: "moved", side: 0, result: "mo", from: 19, to: "goal", count: 1, ...step },
      { type: "stacked", side: 0, node: 3, count: 2 },
      { type: "captured", side: 0, victim_side: 1, node: 0, count: 2, bonus: true },
      { type: "finished_pieces", side: 0, count: 1, done: 2 },
      { type: "discarded", throws: ["backdo", "do"] },
      { type: "side_finished", side: 0, rank: 1, over: true },
    ];
    expect(events.map(tell)).toEqual([
      "민수가 던졌어요: 걸",
      "민수가 던졌어요: 낙. 결과가 없어요.",
      "민수가 새 말을 3번 칸에 올렸어요 (걸).",
      "민수가 3번 칸의 말 2개를 5번 칸으로 옮겼어요 (개).",
      "민수가 19번 칸의 말을 냈어요 (모).",
      "민수가 3번 칸에서 업었어요. 모두 2개예요.",
      "민수가 0번 칸에서 <img src=x onerror=alert(1)>의 말 2개를 잡았어요! 한 번 더 던져요.",
      "민수: 난 말이 모두 2개예요.",
      "빽도, 도: 옮길 말이 없어 버렸어요.",
      "민수가 말을 모두 냈어요: 1등",
    ]);
    for (const catalogue of [en, ms]) {
      for (const event of events) expect(eventText(catalogue, people, event)).not.toMatch(/민수: (?!2 buah)|_|over|Count|\d: /);
    }
    expect(eventText(en, people, events[4]!)).toBe("민수 brought 1 piece home from spot 19 (Mo).");
    // The same words with other fields are another game's.
    expect(tell({ type: "moved", side: 0, from: "a1", to: "a2", count: 1, result: "x" })).toContain("어디서");
  });

  it("of other games are told by name and fields, also when a word means something else there", () => {
    expect(tell({ type: "rolled", seat: 0, distance: 7, draws: 2 })).toBe("민수: rolled (distance 7)");
    expect(tell({ type: "card_played", seat: 1, cards: ["ace_of_spades", 2], at: { x: 1 } })).toBe(
      "<img src=x onerror=alert(1)>: card played (cards ace of spades 2, at x 1)",
    );
    expect(tell({ type: "captured", side: 1, victim_side: 0, count: 2 })).toContain("잡힌 편 민수");
  });
});

describe("people", () => {
  it("whose name runs from right to left turn nothing round", () => {
    const arab = { ...people, names: { p0: "علي", p1: "x\u202ey" } };
    expect(seatName(ko, arab, 0)).toBe("\u2068علي\u2069");
    expect(seatName(ko, arab, 1)).toBe("\u2068xy\u2069");
    expect(seatName(ko, people, 0)).toBe("민수");
    expect(eventText(en, arab, { type: "turn_changed", seat: 0, turn: 12 })).toContain("\u2068علي\u2069");
  });

  it("without a name are called by their seat", () => {
    expect(seatName(en, { ...people, names: {} }, 0)).toBe("Seat 1");
    expect(seatName(en, people, 7)).toBe("Seat 8");
    expect(seatName(en, { ...people, names: JSON.parse('{"__proto__": {"p0": "x"}}') }, 0)).toBe("Seat 1");
    expect(sideName(en, people, 0)).toBe("민수");
  });

  it("of a team are named where it is listed, and not in every sentence about it", () => {
    const view = { ...people.view, options: { mode: "team" }, table: { sides: { "1": { seats: [1, 3] } } } } as unknown as RoomView;
    const team = { ...people, names: { p1: "지수" }, view };
    expect(sideName(en, team, 1)).toBe("Team Red B (지수, Seat 4)");
    expect(eventText(en, team, { type: "stacked", side: 1, node: 3, count: 2 })).toBe("Team Red B stacked 2 pieces on spot 3.");
  });
});

it("no component writes markup from strings, nor styles that the policy would block", () => {
  const src = new URL("../src/", import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => /\.(svelte|ts)$/.test(file));
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) {
    const source = readFileSync(new URL(file, src), "utf8");
    expect(source, file).not.toMatch(/\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\seval\(/);
    expect(source, file).not.toMatch(/<[a-z][^>]*\sstyle=/);
    if (!file.endsWith("wire.ts")) expect(source.split("\n").length, file).toBeLessThan(400);
  }
});

describe("shapes of a view", () => {
  const of = (name: string, value: Parameters<typeof shape>[1]) => shape(name, value, people, Object.keys(ko.terms));

  it("are guessed by name and form", () => {
    expect(of("dice", [1, 6, 3]).kind).toBe("dice");
    expect(of("dice", [1, 7]).kind).toBe("list");
    expect(of("order", [1, 0])).toEqual({ kind: "seat", seats: [1, 0] });
    expect(of("order", [1, 9]).kind).toBe("list");
    expect(of("held", [true, false]).kind).toBe("flags");
    expect(of("board", { "0": { side: 1 }, "1": { side: 0 } })).toMatchObject({ kind: "table", keys: ["0", "1"] });
    expect(of("hand", [{ suit: "x", rank: 1 }]).kind).toBe("table");
    expect(of("tree", [{ a: { b: { c: 1 } } }]).kind).toBe("cards");
    expect(of("anything", { a: 1 }).kind).toBe("fields");
    expect(of("nothing", null).kind).toBe("scalar");
  });

  it("make a score sheet of maps by seat, with the boxes in their order", () => {
    const sheets = { "0": { scores: { yacht: 50, ones: 1 }, total: 51 }, "1": { scores: { twos: 4 }, total: 4 } };
    const form = of("sheets", sheets);
    expect(form.kind === "seats" && form.rows.map((row) => [row.name, row.values])).toEqual([
      ["ones", [1, undefined]],
      ["twos", [undefined, 4]],
      ["yacht", [50, undefined]],
      ["total", [51, 4]],
    ]);
  });
});

describe("results", () => {
  it("are ranked from whatever list has ranks", () => {
    expect(
      ranking({ winners: [1], ranking: [{ rank: 2, seat: 0, total: 5 }, { rank: 1, seat: 1, total: 9 }] }),
    ).toEqual([
      { rank: 1, seats: [1], total: 9, pieces: null },
      { rank: 2, seats: [0], total: 5, pieces: null },
    ]);
    expect(ranking({ ranking: [{ rank: 1, side: 0, seats: [0, 1] }] })).toEqual([
      { rank: 1, seats: [0, 1], total: null, pieces: null },
    ]);
    expect(ranking({ ranking: [{ rank: 1, side: 0, seats: [0], finishedPieces: 4 }] })[0]?.pieces).toBe(4);
    expect(ranking({ score: 3 })).toEqual([]);
    expect(ranking(undefined)).toEqual([]);
  });
});

describe("the end in one sentence", () => {
  const said = (result: JsonObject, options: JsonObject = {}, seats = ["p0", "p1"], catalogue = ko) => {
    const taken = Object.fromEntries(seats.map((player, seat) => [String(seat), { player, connected: true }]));
    const table = { sides: { "0": { seats: [0, 2] }, "1": { seats: [1, 3] } } };
    const view = { result, options, seats: taken, table } as unknown as RoomView;
    return verdict(catalogue, { ...people, view, names: { p0: "민수", p1: "지우" } }, view);
  };

  it("has winner, points and yachts", () => {
    const ranking = [{ rank: 2, seat: 1, total: 9, yachts: 0 }, { rank: 1, seat: 0, total: 245, yachts: 1 }];
    expect(said({ ranking, winners: [0] })).toBe("민수 승리! 245점 (요트 1회)");
    expect(said({ ranking: [{ ...ranking[1]!, yachts: 0 }], winners: [0] })).toBe("민수 승리! 245점");
    expect(said({ ranking: [ranking[1]!], winners: [0] }, {}, ["p0"])).toBe("245점 (요트 1회)");
    expect(said({ ranking: [ranking[1]!, { rank: 1, seat: 1, total: 245, yachts: 0 }], winners: [0, 1] })).toMatch(/^민수, 지우 승리! 245점/);
  });

  it("has the team and its pieces", () => {
    const blue = { rank: 1, side: 0, seats: [0, 2], finished_pieces: 4, remaining_distance: 0 };
    const team = { mode: "team", pieces: 4 };
    const four = ["p0", "p1", "p2", "p3"];
    expect(said({ ranking: [blue], winners: [0, 2] }, team, four)).toBe(`${ko.text.team_a} 승리! (4개 모두 남)`);
    expect(said({ ranking: [{ ...blue, finished_pieces: 2 }], winners: [0, 2] }, team, four)).toContain("(난 말 2개)");
    for (const catalogue of [en, ms]) expect(said({ ranking: [blue], winners: [0, 2] }, team, four, catalogue)).toMatch(/4/);
  });

  it("is nothing where the result says nothing", () => {
    expect(said({})).toBeNull();
  });
});

describe("room codes", () => {
  it.each([
    ["k7q2mx", "K7Q2MX"],
    [" K7Q 2MX ", "K7Q2MX"],
    ["https://play.example/r/k7q2mx?x=1", "K7Q2MX"],
    ["K7Q2M0", null],
    ["K7Q2M", null],
    ["", null],
    ["K7Q2MX.", "K7Q2MX"],
    ["(k7q2mx)", "K7Q2MX"],
    ["코드 K7Q2MX", "K7Q2MX"],
    ["the code is k7q2mx, please come", "K7Q2MX"],
    ["방 코드: K7Q2MX!", "K7Q2MX"],
    ["https://play.example/R/K7Q2MX)", "K7Q2MX"],
    ["K7Q2MX or K7Q2MZ", null],
    ["K7Q2MXY", null],
  ])("%j is read as %j", (text, code) => expect(readCode(text)).toBe(code));
});

it("games have names, new ones their own", () => {
  expect([gameName(ko, "yacht"), gameName(ms, "yut"), gameName(en, "liars_dice")]).toEqual([
    "요트 다이스",
    "Yut Nori",
    "liars dice",
  ]);
});
