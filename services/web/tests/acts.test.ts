// Goal: each move names the version that its player had on the screen, and quick taps of one player do not refuse each other.
// Method: a table whose version moves by hand, answers that come when told to.
import { describe, expect, it } from "vitest";
import { Acts } from "../src/lib/acts";
import type { Outcome } from "../src/lib/socket";

function rig() {
  const place = { game: "K7Q2MX/1", version: 5 };
  const sent: number[] = [];
  const answers: ((outcome: Outcome) => void)[] = [];
  const acts = new Acts(() => ({ ...place }));
  const act = () => acts.add((after) => new Promise((resolve) => (sent.push(after), answers.push(resolve))));
  const answer = async (kind: "done" | "rejected") => {
    answers.shift()!(kind === "done" ? { kind } : { kind, reject: { type: "reject", code: "stale_view", text: "" } });
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  return { place, sent, act, answer };
}

describe("a move", () => {
  it("goes out at once with the version on the screen", () => {
    const { sent, act } = rig();
    void act();
    expect(sent).toEqual([5]);
  });

  it("made before the last one is answered waits for it, and has seen what that one did", async () => {
    const { place, sent, act, answer } = rig();
    void act();
    void act();
    void act();
    expect(sent).toEqual([5]);
    place.version = 6;
    await answer("done");
    expect(sent).toEqual([5, 6]);
    place.version = 7;
    await answer("done");
    expect(sent).toEqual([5, 6, 7]);
  });

  it("that waited for one that was refused has seen no more than before", async () => {
    const { place, sent, act, answer } = rig();
    void act();
    void act();
    place.version = 9; // another device of the same player rolled
    await answer("rejected");
    expect(sent).toEqual([5, 5]);
    await answer("rejected");
    void act();
    expect(sent).toEqual([5, 5, 9]);
  });

  it("of the next game starts anew", async () => {
    const { place, sent, act, answer } = rig();
    void act();
    place.version = 80;
    await answer("done");
    Object.assign(place, { game: "K7Q2MX/2", version: 3 });
    void act();
    expect(sent).toEqual([5, 3]);
  });
});
