// Which dice are held, as this device sees it: what was tapped counts at once, until the server has answered everything
// that was asked; then the server's word counts, whatever it is.
import type { Outcome } from "../../lib/socket";

export class Holds {
  private draft = $state.raw<readonly boolean[] | null>(null);
  private asked = 0;

  constructor(
    private readonly server: () => readonly boolean[],
    private readonly ask: (held: boolean[]) => Promise<Outcome>,
  ) {}

  get flags(): readonly boolean[] {
    return this.draft ?? this.server();
  }

  async toggle(index: number): Promise<void> {
    const held = this.flags.map((flag, i) => (i === index ? !flag : flag));
    this.draft = held;
    this.asked += 1;
    const outcome = await this.ask(held);
    this.asked -= 1;
    if (this.asked === 0 || outcome.kind === "rejected") this.draft = null;
  }
}
