// Goal: every legal action can be reached by exactly one control. Method: lists of actions as games give them.
import { describe, expect, it } from "vitest";
import { controls, indexed, isFinal, previewOf, shownFlags, withFlags, type Control } from "../src/lib/choices";
import type { Action } from "../src/lib/view";

const HOLDS = Array.from({ length: 32 }, (_, n) => ({
  type: "set_hold",
  held: Array.from({ length: 5 }, (_, i) => ((n >> i) & 1) === 1),
}));
const ACTIONS: Action[] = [
  { type: "concede" },
  { type: "roll" },
  ...HOLDS.slice(1),
  { type: "score", category: "sixes" },
  { type: "score", category: "yacht" },
  { type: "move", throw_index: 0, from: "home" },
  { type: "move", throw_index: 1, from: "home" },
  { type: "move", throw_index: 1, from: 5 },
  { type: "bid", amounts: [1, 2] },
  { type: "pass", reason: null },
];

function reachable(control: Control): Action[] {
  switch (control.kind) {
    case "button":
      return [control.action];
    case "toggles":
      return control.actions;
    case "choice":
      return control.options.map((option) => option.action);
    case "list":
      return control.groups.flatMap((group) => group.actions);
  }
}

describe("controls", () => {
  const made = controls(ACTIONS);

  it("reach every action once", () => {
    const all = made.flatMap(reachable).map((action) => JSON.stringify(action));
    expect(all.sort()).toEqual(ACTIONS.map((action) => JSON.stringify(action)).sort());
  });

  it("have the kind that fits, final ones last", () => {
    expect(made.map((control) => [control.type, control.kind])).toEqual([
      ["roll", "button"],
      ["set_hold", "toggles"],
      ["score", "choice"],
      ["move", "list"],
      ["bid", "list"],
      ["pass", "choice"],
      ["concede", "button"],
    ]);
    expect(isFinal("concede")).toBe(true);
    expect(isFinal("roll")).toBe(false);
  });

  it("find a pattern of flags, and only a legal one", () => {
    const toggles = made.find((control) => control.kind === "toggles") as Extract<Control, { kind: "toggles" }>;
    expect(withFlags(toggles, [true, false, false, false, false])).toEqual(HOLDS[1]);
    expect(withFlags(toggles, [false, false, false, false, false])).toBeNull();
  });
});

describe("hints from the table", () => {
  it("are taken only when they fit", () => {
    const table = { held: [true, false], preview: { ones: 3 }, pending: ["do", "mo"], order: [0, 1] };
    expect(shownFlags(table, "held", 2)).toEqual([true, false]);
    expect(shownFlags(table, "held", 5)).toBeNull();
    expect(previewOf(table, "ones")).toBe(3);
    expect(previewOf(table, "toString")).toBeNull();
    expect(indexed(table, "throw_index", 1)).toBe("mo");
    expect(indexed({ a: ["x"], b: ["y"] }, "throw_index", 0)).toBeNull();
    expect(indexed(table, "from", 1)).toBeNull();
  });
});
