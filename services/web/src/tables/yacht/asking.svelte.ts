// Whether writing a box is asked about first. Kept on the device: it is a habit, not a rule of the room.
import { deviceStore } from "../../lib/storage";

export const ASKING = ["always", "zero", "off"] as const;
export type Asking = (typeof ASKING)[number];
const KEY = "noripan.yacht.confirm";

export function isAsking(value: string | null): value is Asking {
  return (ASKING as readonly (string | null)[]).includes(value);
}

export function asks(setting: Asking, points: number): boolean {
  return setting === "always" || (setting === "zero" && points === 0);
}

class Habit {
  private chosen = $state<Asking>(stored());

  get value(): Asking {
    return this.chosen;
  }

  choose(value: Asking): void {
    this.chosen = value;
    deviceStore.set(KEY, value);
  }
}

function stored(): Asking {
  const value = deviceStore.get(KEY);
  return isAsking(value) ? value : "always";
}

export const habit = new Habit();
