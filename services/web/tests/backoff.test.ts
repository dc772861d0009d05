// Goal: a restart of the server does not bring all clients back in one instant. Method: 2000 clients, real randomness,
// counted per tenth of a second.
import { describe, expect, it } from "vitest";
import { Backoff } from "../src/lib/backoff";

describe("Backoff", () => {
  it("spreads the first attempts of 2000 clients: no 100 ms has more than a tenth, all within 30 s", () => {
    const bins = new Map<number, number>();
    for (let client = 0; client < 2000; client++) {
      const wait = new Backoff().next();
      expect(wait).toBeLessThan(30_000);
      const bin = Math.floor(wait / 100);
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
    expect(Math.max(...bins.values())).toBeLessThanOrEqual(200);
  });

  it("widens with every failure up to a bound, and starts again after a success", () => {
    const backoff = new Backoff(() => 0.999999);
    const waits = Array.from({ length: 8 }, () => backoff.next());
    expect(waits.slice(0, 3).map((wait) => Math.round(wait / 500))).toEqual([3, 6, 12]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(12_050);
    backoff.reset();
    expect(backoff.next()).toBeLessThan(1600);
    backoff.reset();
    backoff.slower();
    expect(backoff.next()).toBeGreaterThan(5000);
  });
});
