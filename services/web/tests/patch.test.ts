// Goal: merge is RFC 7396. Method: the table of the RFC's appendix A (as far as views can hold it), then sharing and safety.
import { describe, expect, it } from "vitest";
import { merge } from "../src/lib/patch";
import type { Json, JsonObject } from "../src/lib/view";

const APPENDIX_A: [Json, Json, Json][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe("merge", () => {
  it.each(APPENDIX_A)("%j + %j = %j", (target, patch, expected) => {
    const before = structuredClone(target);
    expect(merge(target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });

  it("keeps the parts that a patch does not name as the same objects", () => {
    const target = { sheets: { "0": { total: 1 }, "1": { total: 2 } }, round: 1 };
    const merged = merge(target, { sheets: { "1": { total: 3 } } }) as typeof target;
    expect(merged.sheets["0"]).toBe(target.sheets["0"]);
    expect(merged.sheets["1"]).toEqual({ total: 3 });
  });

  it("does not let a member named __proto__ change what an object is", () => {
    const merged = merge({}, JSON.parse('{"__proto__": {"evil": true}, "constructor": {"a": 1}}')) as JsonObject;
    expect((merged as { evil?: boolean }).evil).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(merged.constructor).toEqual({ a: 1 });
  });
});
