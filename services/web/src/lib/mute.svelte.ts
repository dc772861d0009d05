// Whose words are hidden here. Local to this device: nobody is told, and nothing is lost for others.
import { deviceStore } from "./storage";

const KEY = "noripan.muted";
const KEPT = 200;
const ALL = "*";

class Muted {
  private players = $state.raw<string[]>((deviceStore.get(KEY) ?? "").split(" ").filter(Boolean));
  all = $derived(this.players.includes(ALL));

  has(player: string): boolean {
    return this.all || this.players.includes(player);
  }

  /** The player's own switch, whatever the one for all says. */
  own(player: string): boolean {
    return this.players.includes(player);
  }

  set(player: string, on: boolean): void {
    const others = this.players.filter((one) => one !== player);
    this.players = on ? [...others, player].slice(-KEPT) : others;
    deviceStore.set(KEY, this.players.join(" "));
  }

  setAll(on: boolean): void {
    this.set(ALL, on);
  }
}

export const muted = new Muted();
