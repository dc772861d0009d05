// Goal: talk, teams, family and changed rules are told as they are and to whom they concern. Method: pure functions, given data.
import { describe, expect, it } from "vitest";
import { advisable } from "../src/lib/advice";
import { readMoveCode } from "../src/lib/api";
import { Chance } from "../src/lib/chance";
import { changes, changeText } from "../src/lib/changes";
import { logText } from "../src/lib/events";
import { Family } from "../src/lib/family";
import { LANGUAGES } from "./languages";
import { sideName, speakerName } from "../src/lib/people";
import { offered, settingText } from "../src/lib/settings";
import { store } from "../src/lib/storage";
import { EMOTES, hear, sameAction, suggestions, visible, type SaidItem } from "../src/lib/talk";
import { allies, teamOf } from "../src/lib/teams";
import { heldBy, type Json, type RoomView } from "../src/lib/view";

const { ko, en } = { ko: LANGUAGES.ko.catalogue, en: LANGUAGES.en.catalogue };
const memory = () => {
  const kept = new Map<string, string>();
  return store(() => ({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }) as unknown as Storage);
};
const room = (more: Partial<RoomView> = {}): RoomView =>
  ({
    phase: "lobby",
    options: {},
    settings: {},
    seats: Object.fromEntries(["p0", "p1", "p2", "p3"].map((player, i) => [String(i), { player, connected: true }])),
    ...more,
  }) as unknown as RoomView;
const said = (player: string, kind: string, body: string, at_ms = 1) => ({ type: "said", player, kind, body, at_ms });

describe("what is said", () => {
  it("is kept once, also when a welcome brings it again, and nonsense is not kept at all", () => {
    let list: SaidItem[] = [];
    list = hear(list, said("p0", "chat", "hi"), true, 3);
    list = hear(list, said("p0", "chat", "hi"), false, null);
    list = hear(list, { player: "p0" }, true, null);
    list = hear(list, null, true, null);
    expect(list.map((item) => [item.body, item.live, item.turn])).toEqual([["hi", true, 3]]);
  });

  it("is bounded", () => {
    let list: SaidItem[] = [];
    for (let i = 0; i < 300; i++) list = hear(list, said("p0", "chat", String(i), i), true, null);
    expect([list.length, list.at(-1)?.body]).toEqual([100, "299"]);
  });

  it("is counted as people count", () => {
    expect([visible("한글 abc"), visible("👨‍👩‍👧‍👦é"), visible("")]).toEqual([6, 2, 0]);
  });

  it("has a word for every emote of the server in every language", async () => {
    const { readFileSync } = await import("node:fs");
    const source = readFileSync(new URL("../../../schemas/wire.py", import.meta.url), "utf8");
    const codes = [.../EMOTES = \(([^)]*)\)/.exec(source)![1]!.matchAll(/"(\w+)"/g)].map((match) => match[1]);
    expect(codes).toEqual([...EMOTES]);
  });
});

describe("suggestions", () => {
  const move = JSON.stringify({ type: "move", throw_index: 0, from: "home" });
  const list = [
    hear([], said("p0", "suggest", move), true, 4),
    hear([], said("p2", "suggest", "{broken", 2), true, 4),
    hear([], said("p1", "suggest", move, 3), true, 4),
  ].flat();

  it("count from teammates, for this turn, and when they are actions", () => {
    expect(suggestions(list, 4, ["p0", "p2"]).map((one) => one.player)).toEqual(["p0"]);
    expect(suggestions(list, 5, ["p0", "p2"])).toEqual([]);
    expect(suggestions(list, undefined, ["p0"])).toEqual([]);
  });

  it("are the same action whatever the order of fields", () => {
    expect(sameAction({ type: "move", from: 3, throw_index: 1 }, { throw_index: 1, type: "move", from: 3 })).toBe(true);
    expect(sameAction({ type: "move", from: 3 }, { type: "move", from: "home" })).toBe(false);
  });

  it("are offered from what everybody sees", () => {
    const table: Json = {
      pending: ["do", "backdo", "do"],
      side: 1,
      board: { "5": { side: 1 }, "9": { side: 0 } },
      sides: { "0": { home: 4 }, "1": { home: 2 } },
    };
    expect(advisable(room({ table }))).toEqual([
      { type: "move", throw_index: 0, from: 5 },
      { type: "move", throw_index: 0, from: "home" },
      { type: "move", throw_index: 1, from: 5 },
    ]);
    expect(advisable(room({ table: { dice: [1, 2] } }))).toEqual([]);
    expect(advisable(room())).toEqual([]);
  });
});

describe("teams", () => {
  const view = room({ options: { mode: "team" }, table: { sides: { "0": { seats: [0, 2] } } } });

  it("alternate by seat, and only where there are teams", () => {
    expect([0, 1, 2, 3].map((seat) => teamOf(view, seat))).toEqual([0, 1, 0, 1]);
    expect(teamOf(room(), 1)).toBeNull();
    expect(allies(view, 0)).toEqual(["p2"]);
    expect(allies(room(), 0)).toEqual([]);
  });

  it("are called by one name everywhere", () => {
    expect(sideName(ko, { view, names: { p0: "민수", p2: "지우" }, player: "" }, 0)).toBe("청팀 A (민수, 지우)");
  });
});

it("whoever speaks without a name or a seat is called a spectator", () => {
  const people = { view: room(), names: { p9: "하은" }, player: "" };
  expect(["p9", "p0", "x"].map((player) => speakerName(en, people, player))).toEqual(["하은", "Seat 1", "A spectator"]);
});

describe("changed rules", () => {
  const before = room({ options: { turn_seconds: 60, mode: "team" }, settings: { countdown_s: 3 } });
  const after = room({ options: { mode: "individual" }, settings: { countdown_s: 3, spectators: false } });

  it("are told one by one, from what to what", () => {
    expect(changes(before, after).map((change) => changeText(en, change))).toEqual([
      "Time per turn: 60 s → No limit",
      "Mode: teams → each for themselves",
      "Watching allowed: on → off",
    ]);
    expect(changes(before, before)).toEqual([]);
  });

  it("stand in the log as what changed, not as all the rules", () => {
    const item = { key: "k", event: { type: "configured" }, at_ms: null, live: true, changes: changes(before, after) };
    expect(logText(ko, { view: after, names: {}, player: "" }, item)).toContain("구경 허용: 켬 → 끔");
  });

  it("have units", () => {
    expect([settingText(en, "idle_s", 1800), settingText(en, "idle_s", 86_400), settingText(en, "delay_s", 0)]).toEqual([
      "30 min",
      "24 h",
      "off",
    ]);
    expect(offered("countdown_s", 7)).toEqual([0, 3, 5, 7, 10]);
  });
});

describe("people of one device", () => {
  it("are kept with their tokens, at most seven, and never twice", () => {
    const kept = memory();
    const family = new Family(kept);
    for (let i = 0; i < 9; i++) family.add(`p${i}`, `t${i}`);
    family.add("p8", "new");
    family.rename("p8", "아이");
    expect(new Family(kept).list()).toHaveLength(7);
    expect([family.full, family.name("p8"), family.tokens("p7").at(-1)]).toEqual([true, "아이", "new"]);
    expect(family.tokens("p8")).not.toContain("new");
  });

  it("are nobody when the store holds something else", () => {
    const kept = memory();
    kept.set("noripan.family", '[{"player": 1}, null]');
    expect(new Family(kept).list()).toEqual([]);
    kept.set("noripan.family", "{");
    expect(new Family(kept).tokens("")).toEqual([]);
  });

  it("hold seats in their own order", () => {
    expect(heldBy(room(), ["p2", "x", "p0"])).toEqual([
      { seat: 2, player: "p2" },
      { seat: 0, player: "p0" },
    ]);
  });

  it("each open their own nonce, one try at a time, the latest first", () => {
    const chance = new Chance([memory()]);
    chance.promise("K/1", "");
    chance.promise("K/1", "");
    chance.promise("K/1", "p1");
    const [latest, earlier] = chance.candidates("K/1", "");
    expect(chance.toOpen("K/1", "")).toBe(latest);
    expect(chance.toOpen("K/1", "")).toBeNull();
    expect(chance.toOpen("K/1", "p1")).toBe(chance.candidates("K/1", "p1")[0]);
    chance.refused("");
    expect(chance.toOpen("K/1", "")).toBe(earlier);
    chance.refused("");
    expect(chance.toOpen("K/1", "")).toBeNull();
    expect(chance.candidates("K/2", "")).toEqual([]);
  });
});

describe("codes to move a seat", () => {
  it.each([
    ["JHUW-UKKA", "JHUW-UKKA"],
    [" JHUW UKKA ", "JHUWUKKA"],
    ["https://play.example/m/JHUWUKKA?r=K7Q2MX", "JHUWUKKA"],
    ["", null],
    ["<script>", null],
  ])("%j is read as %j", (text, code) => expect(readMoveCode(text)).toBe(code));
});
