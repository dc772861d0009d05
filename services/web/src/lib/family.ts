// Further people who play on this device (a family table). Each is a player of their own, with a token that this device
// keeps; the first person is the cookie's and is not in here.
import type { Store } from "./storage";

export interface Person {
  player: string;
  token: string;
  name: string;
}

const KEY = "noripan.family";
const PEOPLE_MAX = 7; // schemas/wire.py, Hello.tokens

export class Family {
  constructor(private readonly store: Store) {}

  list(): Person[] {
    try {
      const found: unknown = JSON.parse(this.store.get(KEY) ?? "[]");
      return Array.isArray(found) ? found.filter(isPerson).slice(0, PEOPLE_MAX) : [];
    } catch {
      return [];
    }
  }

  get full(): boolean {
    return this.list().length >= PEOPLE_MAX;
  }

  add(player: string, token: string): void {
    this.save([...this.list().filter((one) => one.player !== player), { player, token, name: "" }]);
  }

  /** Their nickname, offered again the next time. */
  rename(player: string, name: string): void {
    this.save(this.list().map((one) => (one.player === player ? { ...one, name } : one)));
  }

  name(player: string): string {
    return this.list().find((one) => one.player === player)?.name ?? "";
  }

  /** Tokens for `hello`, without `self`: after a move between devices the cookie may be one of them. */
  tokens(self: string): string[] {
    return this.list()
      .filter((one) => one.player !== self)
      .map((one) => one.token);
  }

  private save(people: Person[]): void {
    this.store.set(KEY, JSON.stringify(people.slice(-PEOPLE_MAX)));
  }
}

function isPerson(value: unknown): value is Person {
  if (typeof value !== "object" || value === null) return false;
  const { player, token, name } = value as Partial<Person>;
  return typeof player === "string" && typeof token === "string" && typeof name === "string";
}
