// When to try again. After a restart of the server all clients fail at the same instant: the first delay is already
// drawn from a window so wide that no tenth of a second gets more than a fifteenth of them.

const FIRST_MS = 1500;
const WINDOW_MS_MAX = 12_000;
const FLOOR_MS = 50;

export class Backoff {
  private failures = 0;

  constructor(private readonly random: () => number = Math.random) {}

  /** Delay before the next attempt, in ms: uniform in a window that doubles with each failure, up to 12 s. */
  next(): number {
    const window = Math.min(WINDOW_MS_MAX, FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    return FLOOR_MS + Math.floor(this.random() * window);
  }

  /** The server asked to come later: start one step further out. */
  slower(): void {
    this.failures = Math.max(this.failures, 2);
  }

  /** The connection proved itself (a snapshot came); mere acceptance of the socket does not. */
  reset(): void {
    this.failures = 0;
  }
}
