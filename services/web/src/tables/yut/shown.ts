// The stacks to draw while a move is on its way: its goal as it was before it came there.
import type { Play } from "./motion.svelte";
import type { Spot } from "./moves";

export interface Stack {
  node: number;
  side: number;
  count: number;
}

export function shownBoard(board: Record<string, Spot>, play: Play | null): Stack[] {
  const stacks = Object.entries(board).map(([node, { side, count }]) => ({ node: Number(node), side, count }));
  if (play?.kind !== "move") return stacks;
  const { to, side, count } = play.moved;
  const came = typeof count === "number" ? count : 1;
  return stacks
    .map((stack) => (stack.node === to && stack.side === side ? { ...stack, count: stack.count - came } : stack))
    .filter((stack) => stack.count > 0);
}
