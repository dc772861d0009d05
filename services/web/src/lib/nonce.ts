// The player's own share of chance (docs/design.md, chance anyone can check): 32 random bytes, promised by their hash when
// taking a seat, opened once the game is frozen. Whoever loses them counts as having given zeros, so they are kept twice.
import { fromHex, sha256, toHex } from "./sha256";
import type { Store } from "./storage";

const KEPT = 4; // taking a seat again (left, another tab) makes a new nonce; the one that counts is among the last few

export class Nonces {
  constructor(private readonly stores: Store[]) {}

  /** A new nonce for a seat in `game` (`K7Q2MX/1`, see `slot`), kept before its hash is returned. */
  promise(game: string): string {
    const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
    const kept = [nonce, ...this.candidates(game)].slice(0, KEPT).join(",");
    for (const store of this.stores) store.set(key(game), kept);
    return toHex(sha256(fromHex(nonce)));
  }

  /** Nonces made for `game`, the latest first; opened in this order until one is accepted. */
  candidates(game: string): string[] {
    const found = new Set<string>();
    for (const store of this.stores) {
      for (const nonce of (store.get(key(game)) ?? "").split(",")) if (/^[0-9a-f]{64}$/.test(nonce)) found.add(nonce);
    }
    return [...found];
  }
}

function key(game: string): string {
  return `noripan.nonce.${game}`;
}

/** Where the nonces of a player in a game are kept; `player` "" is the device's first person. */
export function slot(game: string, player: string): string {
  return player ? `${game}.${player}` : game;
}
