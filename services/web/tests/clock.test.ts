// Goal: what the countdown shows depends on the server's clock only. Method: drive monotonic and device clock by hand.
import { describe, expect, it } from "vitest";
import { remaining, seconds, ServerClock } from "../src/lib/clock";

const SERVER = 1_800_000_000_000;

function rig(skew = 0) {
  const at = { monotonic: 0, skew };
  const server = () => SERVER + at.monotonic;
  const clock = new ServerClock(
    () => at.monotonic,
    () => SERVER + at.monotonic + at.skew,
  );
  /** A ping over a line that takes `out` ms there and `back` ms back. */
  const ping = (out: number, back: number) => {
    const mark = clock.mark();
    at.monotonic += out;
    const now = server();
    at.monotonic += back;
    clock.sample(mark, now);
  };
  return { at, clock, ping, server };
}

describe("ServerClock", () => {
  it("knows no time before the first sample", () => {
    expect(rig().clock.now()).toBeNull();
    expect(remaining(SERVER, null)).toBeNull();
  });

  it.each([90_000, -90_000, 0])("is right with a device clock that is %i ms off", (skew) => {
    const { clock, ping, server } = rig(skew);
    ping(40, 60);
    expect(Math.abs(clock.now()! - server())).toBeLessThanOrEqual(10);
  });

  it("does not move when the device clock is stepped during a turn, and says so once", () => {
    const { at, clock, ping, server } = rig();
    ping(20, 20);
    expect(clock.jumped()).toBe(false);
    at.skew += 60_000;
    at.monotonic += 1000;
    expect(clock.jumped()).toBe(true);
    expect(clock.jumped()).toBe(false);
    expect(clock.now()).toBe(server());
  });

  it("prefers the sample with the shortest round trip to a lopsided slow one", () => {
    const { clock, ping, server } = rig();
    ping(10, 10);
    ping(2000, 20);
    expect(clock.now()).toBe(server());
  });

  it("lets a new sample replace distrusted ones even when it is slower", () => {
    const { at, clock, ping, server } = rig();
    ping(5, 5);
    at.monotonic -= 30_000; // the counter stood still while the device slept: all we knew is 30 s behind
    const asleep = 30_000;
    clock.distrust();
    const mark = clock.mark();
    at.monotonic += 200;
    clock.sample(mark, server() + asleep - 100);
    expect(Math.abs(clock.now()! - (server() + asleep))).toBeLessThanOrEqual(200);
  });

  it("gives up samples that drift has made worthless", () => {
    const { at, clock, ping } = rig();
    ping(1, 1);
    at.monotonic += 10 * 60_000;
    const mark = clock.mark();
    clock.sample(mark, 5_000_000); // zero round trip would win anyway; age must win against a better old one too
    at.monotonic += 6 * 60_000;
    const later = clock.mark();
    at.monotonic += 500;
    clock.sample(later, 9_000_000);
    expect(Math.abs(clock.now()! - 9_000_250)).toBeLessThanOrEqual(250);
  });
});

describe("remaining", () => {
  it("is right at once after a long sleep and never negative", () => {
    const deadline = SERVER + 60_000;
    expect(seconds(remaining(deadline, SERVER + 45_000)!)).toBe(15);
    expect(remaining(deadline, SERVER + 75_000)).toBe(0);
    expect(remaining(undefined, SERVER)).toBeNull();
  });

  it("shows zero only when the time is over", () => {
    expect(seconds(1)).toBe(1);
    expect(seconds(1001)).toBe(2);
    expect(seconds(0)).toBe(0);
  });
});
