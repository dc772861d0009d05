// Goal: any game's options become a form, and what is sent is what was touched. Method: schemas as msgspec writes them.
import { describe, expect, it } from "vitest";
import { ko } from "../src/lib/i18n/ko";
import { en } from "../src/lib/i18n/en";
import { summarise } from "../src/lib/labels";
import { complete, fields, resolve, sparse, summary } from "../src/lib/options";
import type { JsonObject } from "../src/lib/view";
import type { GameInfo } from "../src/lib/wire";

const SCHEMA: JsonObject = {
  $ref: "#/$defs/Options",
  $defs: {
    Options: {
      type: "object",
      properties: {
        scoring: { enum: ["traditional", "yacht51", "yahtzee"], default: "yacht51" },
        allow: { anyOf: [{ type: "boolean" }, { type: "null" }], default: null },
        joker: { anyOf: [{ enum: ["forced", "free"] }, { type: "null" }], default: null },
        turnSeconds: { anyOf: [{ enum: [30, 60] }, { type: "null" }], default: 60 },
        idleSeconds: { enum: [15, 30, null], default: 30 },
        showPreview: { type: "boolean", default: true },
        pieces: { type: "integer", minimum: 2, maximum: 5, default: 4 },
        ranking: { enum: ["all", "first"], default: "first" },
        colour: { $ref: "#/$defs/Colour" },
        title: { type: "string", maxLength: 10, default: "" },
        weights: { type: "array", items: { type: "integer" }, default: [1] },
      },
    },
    Colour: { enum: ["blue", "red"] },
  },
};
const DEFAULTS: JsonObject = { scoring: "yacht51", allow: null, turnSeconds: 60, colour: "red" };
const FORM = fields(SCHEMA, DEFAULTS);
const field = (name: string) => FORM.find((one) => one.name === name)!;

describe("fields", () => {
  it("have the kind that fits", () => {
    expect(FORM.map((one) => [one.name, one.kind])).toEqual([
      ["scoring", "choice"],
      ["allow", "choice"],
      ["joker", "choice"],
      ["turnSeconds", "choice"],
      ["idleSeconds", "choice"],
      ["showPreview", "switch"],
      ["pieces", "number"],
      ["ranking", "choice"],
      ["colour", "choice"],
      ["title", "text"],
      ["weights", "json"],
    ]);
  });

  it("list the default word first, numbers in order, and none last", () => {
    expect(field("scoring")).toMatchObject({ values: ["yacht51", "traditional", "yahtzee"] });
    expect(field("turnSeconds")).toMatchObject({ values: [30, 60, null], nullable: true });
    expect(field("idleSeconds")).toMatchObject({ values: [15, 30, null], nullable: true });
    expect(field("allow")).toMatchObject({ values: [true, false, null] });
    expect(field("colour")).toMatchObject({ values: ["red", "blue"], default: "red" });
    expect(field("pieces")).toMatchObject({ min: 2, max: 5, default: 4 });
  });

  it("survive references that lead nowhere or in circles", () => {
    expect(resolve({ $defs: { A: { $ref: "#/$defs/A" } } }, { $ref: "#/$defs/A" })).toEqual({});
    expect(fields({ $ref: "#/$defs/Gone" }, {})).toEqual([]);
  });
});

describe("what is sent", () => {
  it("is nothing when nothing was touched, so that options without a meaning stay out", () => {
    expect(sparse(FORM, complete(FORM, undefined))).toEqual({});
  });

  it("is what differs, also when it is no limit", () => {
    expect(sparse(FORM, { ...complete(FORM, undefined), turnSeconds: null, pieces: 3 })).toEqual({
      turnSeconds: null,
      pieces: 3,
    });
  });

  it("round-trips through a room's view, which leaves out what is null", () => {
    const chosen = { ...complete(FORM, undefined), turnSeconds: null, joker: "free" };
    const view = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== null));
    expect(sparse(FORM, complete(FORM, view))).toEqual({ turnSeconds: null, joker: "free" });
  });
});

describe("summary", () => {
  it("of a view takes what is left out as none, of a change as the default", () => {
    const info = { options: SCHEMA, defaults: DEFAULTS } as unknown as GameInfo;
    expect(summarise(ko, info, { scoring: "yacht51" }, true)).toContain("제한 시간 제한 없음");
    expect(summarise(ko, info, { scoring: "yahtzee" })).toContain("제한 시간 60초");
    expect(summarise(ko, null, {}, true)).toBe("");
  });

  it("tells what differs first and marks it", () => {
    const parts = summary(ko, FORM, { ...complete(FORM, undefined), turnSeconds: null, scoring: "yahtzee" });
    expect(parts.slice(0, 2)).toEqual([
      { name: "scoring", text: "점수표 13칸 변형", changed: true },
      { name: "turnSeconds", text: "제한 시간 제한 없음", changed: true },
    ]);
    expect(parts.filter((part) => part.changed)).toHaveLength(2);
    expect(summary(en, FORM, complete(FORM, undefined)).some((part) => part.changed)).toBe(false);
  });
});
