// What keys mean at the table. No DOM: events and boxes come as plain data, so that layouts of keyboards and languages of
// input can be tested.
import type { Box } from "./rules";

export type Shortcut = { kind: "roll" } | { kind: "hold"; index: number } | { kind: "help" };

export interface Key {
  key: string;
  code: string;
  keyCode?: number;
  isComposing?: boolean;
  repeat?: boolean;
  ctrlKey?: boolean;
  metaKey?: boolean;
  altKey?: boolean;
}

const COMPOSING = 229; // what a key is called while an input method has it

/** `plain`: the focus is on nothing that Space would press. */
export function shortcut(event: Key, plain: boolean): Shortcut | null {
  const { key, code } = event;
  if (event.isComposing || event.keyCode === COMPOSING || event.repeat) return null;
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (key === "?") return { kind: "help" };
  if (key === " ") return plain ? { kind: "roll" } : null;
  const digit = /^(?:Digit|Numpad)([1-5])$/.exec(code)?.[1] ?? (/^[1-5]$/.test(key) ? key : null);
  if (digit && /^[1-5]$/.test(key)) return { kind: "hold", index: Number(digit) - 1 };
  // With a Korean layout the same key writes ㄱ; another Latin layout has its R elsewhere.
  const latin = /^[a-z]$/i.test(key);
  return key.toLowerCase() === "r" || (!latin && code === "KeyR") ? { kind: "roll" } : null;
}

/** Where an arrow leads from `from` in the two columns of the sheet, over boxes that cannot be chosen; null: nowhere. */
export function neighbour(sides: readonly (readonly Box[])[], usable: (box: Box) => boolean, from: Box, key: string): Box | null {
  const side = sides.findIndex((boxes) => boxes.includes(from));
  const here = sides[side]?.indexOf(from) ?? -1;
  if (here < 0) return null;
  const near = (boxes: readonly Box[]) =>
    boxes
      .filter(usable)
      .sort((a, b) => Math.abs(boxes.indexOf(a) - here) - Math.abs(boxes.indexOf(b) - here))[0] ?? null;
  switch (key) {
    case "ArrowDown":
      return sides[side]!.slice(here + 1).find(usable) ?? null;
    case "ArrowUp":
      return sides[side]!.slice(0, here).findLast(usable) ?? null;
    case "ArrowLeft":
      return side > 0 ? near(sides[side - 1]!) : null;
    case "ArrowRight":
      return side + 1 < sides.length ? near(sides[side + 1]!) : null;
    default:
      return null;
  }
}
