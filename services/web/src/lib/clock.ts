// The server's time as seen from here. Deadlines are the server's; a device clock that is wrong, or is set during a turn,
// must not show. So time runs on a monotonic counter, and the distance to the server is measured by ping and pong: of the
// recent samples the one with the shortest round trip is the best, because half of it is the bound of its error.

interface Sample {
  offset: number;
  roundtrip: number;
  at: number;
}

const SAMPLES_MAX = 8;
const STALE_MS = 5 * 60_000; // quartz drifts by some 50 ppm: 15 ms in five minutes
const JUMP_MS = 1500;

export class ServerClock {
  private samples: Sample[] = [];
  private lead: number;

  constructor(
    private readonly monotonic: () => number = () => performance.now(),
    private readonly wall: () => number = () => Date.now(),
  ) {
    this.lead = wall() - monotonic();
  }

  /** What to remember when a message is sent whose answer will carry the server's time. */
  mark(): number {
    return this.monotonic();
  }

  /** The answer to a message sent at `mark` says `now_ms`. */
  sample(mark: number, now_ms: number): void {
    const at = this.monotonic();
    const roundtrip = Math.max(0, at - mark);
    this.samples.push({ offset: now_ms + roundtrip / 2 - at, roundtrip, at });
    if (this.samples.length > SAMPLES_MAX) this.samples.shift();
  }

  /** Server time now; null before the first sample, because then nothing honest can be shown. */
  now(): number | null {
    const at = this.monotonic();
    let best: Sample | null = null;
    for (const sample of this.samples) {
      if (at - sample.at > STALE_MS && best) continue;
      if (!best || at - best.at > STALE_MS || sample.roundtrip <= best.roundtrip) best = sample;
    }
    return best && at + best.offset;
  }

  /**
   * True once after the monotonic counter and the device clock came apart: the device slept with the counter stopped, or
   * its clock was set. Older samples cannot be trusted then and only the latest is kept until a ping brings a new one.
   */
  jumped(): boolean {
    const lead = this.wall() - this.monotonic();
    const jump = Math.abs(lead - this.lead) > JUMP_MS;
    this.lead = lead;
    if (jump) this.samples = this.samples.slice(-1);
    return jump;
  }

  /** The next sample replaces all others. */
  distrust(): void {
    for (const sample of this.samples) sample.roundtrip = Number.MAX_VALUE;
  }
}

/** Milliseconds until `at_ms`, never negative; null when there is no deadline or no server time yet. */
export function remaining(at_ms: number | undefined, now: number | null): number | null {
  return at_ms === undefined || now === null ? null : Math.max(0, at_ms - now);
}

/** Whole seconds to show: 0 only when the time is really over. */
export function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
