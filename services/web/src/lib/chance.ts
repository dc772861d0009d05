// Which nonce to open for whom. The one that counts is among the last few that were promised (nonce.ts); they are tried one
// after the other, never two at once.
import { Nonces, slot } from "./nonce";
import type { Store } from "./storage";

export class Chance {
  private readonly nonces: Nonces;
  private readonly tried = new Map<string, { game: string; index: number; busy: boolean }>();

  constructor(stores: Store[]) {
    this.nonces = new Nonces(stores);
  }

  /** The hash of a new nonce of `player` ("" for the device's first person). */
  promise(game: string, player: string): string {
    return this.nonces.promise(slot(game, player));
  }

  candidates(game: string, player: string): string[] {
    return this.nonces.candidates(slot(game, player));
  }

  /** The next nonce to try; null while one is on its way, or when there is none left. */
  toOpen(game: string, player: string): string | null {
    const last = this.tried.get(player);
    const again = last?.game === game ? last : null;
    if (again?.busy) return null;
    const index = again ? again.index + 1 : 0;
    const nonce = this.candidates(game, player)[index];
    if (nonce === undefined) return null;
    this.tried.set(player, { game, index, busy: true });
    return nonce;
  }

  /** The nonce on its way was not taken. */
  refused(player: string): void {
    const last = this.tried.get(player);
    if (last) last.busy = false;
  }
}
