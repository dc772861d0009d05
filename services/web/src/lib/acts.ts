// Moves of one page, one after the other, each with the version that its player had seen when it was made.
import type { Outcome } from "./socket";

interface Place {
  game: string;
  version: number;
}

export class Acts {
  private last: Promise<unknown> | null = null;
  /** Where our own last move was done: its effect is seen by whoever made it. */
  private own: Place = { game: "", version: 0 };

  constructor(private readonly place: () => Place) {}

  /** `send` with the version to name; at once, unless a move before it is not answered yet. */
  async add(send: (after: number) => Promise<Outcome>): Promise<Outcome> {
    const seen = this.place();
    const before = this.last;
    const outcome = before ? before.then(() => send(this.after(seen))) : send(seen.version);
    const done = outcome.then((one) => {
      if (one.kind === "done") this.own = this.place();
      if (this.last === done) this.last = null;
    });
    this.last = done;
    return outcome;
  }

  private after(seen: Place): number {
    return this.own.game === seen.game ? Math.max(seen.version, this.own.version) : seen.version;
  }
}
