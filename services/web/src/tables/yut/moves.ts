// What may be moved where. The engine tells the seat in turn its moves with their paths; everybody else (teammates who want
// to suggest one) has them from here, out of what the table shows.
import { sameAction } from "../../lib/talk";
import { isObject, type Action, type Json, type JsonObject } from "../../lib/view";
import { walk, type Place, type Target } from "./board";

export type Outcome = "do" | "gae" | "geol" | "yut" | "mo" | "backdo";
export const STEPS: Record<Outcome, number> = { do: 1, gae: 2, geol: 3, yut: 4, mo: 5, backdo: -1 };
const ORDER: readonly Outcome[] = ["mo", "yut", "geol", "gae", "do", "backdo"];

export interface Spot {
  side: number;
  count: number;
  back?: Target;
}

export interface SideView {
  seats: number[];
  home: number;
  done: number;
  rank?: number;
  out?: true;
}

export interface LegalMove {
  throw_index: number;
  from: Place;
  to: Target;
  path: number[];
  captures?: number;
  finishes?: number;
  joins?: number;
}

/** `view.table` of Yut, see View in engine/games/yut/types.py. */
export interface YutTable {
  phase: "throw" | "move" | "finished";
  owed: number;
  pending: Outcome[];
  board: Record<string, Spot>;
  sides: Record<string, SideView>;
  seat?: number;
  side?: number;
  why?: "turn" | "yut" | "mo" | "capture";
  last?: { result: Outcome | "nak"; sticks?: boolean[] };
  legal_moves?: LegalMove[];
}

/** A move to offer. `count`: how many pieces go. */
export interface Move extends LegalMove {
  outcome: Outcome;
  count: number;
}

export interface Chip {
  outcome: Outcome;
  count: number;
}

/** The table when it is one of Yut as we know it. */
export function tableOf(value: Json | undefined): YutTable | null {
  const fits = isObject(value) && Array.isArray(value.pending) && isObject(value.board) && isObject(value.sides);
  return fits ? (value as unknown as YutTable) : null;
}

/** What is pending, equal ones together, the longest first. */
export function chips(pending: readonly Outcome[]): Chip[] {
  return ORDER.map((outcome) => ({ outcome, count: pending.filter((one) => one === outcome).length })).filter(
    (chip) => chip.count > 0,
  );
}

/** Moves of the side in turn, by throw, then node, home last; each kind of throw once, by its first index. */
export function moves(table: YutTable, options: JsonObject): Move[] {
  if (table.phase !== "move" || table.side === undefined) return [];
  const told = table.legal_moves ?? worked(table, table.side, options.finishRule === "reach");
  return told
    .map((move) => ({
      ...move,
      outcome: table.pending[move.throw_index]!,
      count: move.from === "home" ? 1 : (table.board[String(move.from)]?.count ?? 1),
    }))
    .filter((move) => table.pending.indexOf(move.outcome) === move.throw_index);
}

function worked(table: YutTable, side: number, reach: boolean): LegalMove[] {
  const starts: Place[] = Object.keys(table.board)
    .filter((node) => table.board[node]!.side === side)
    .map(Number)
    .sort((a, b) => a - b);
  if ((table.sides[String(side)]?.home ?? 0) > 0) starts.push("home");
  return table.pending.flatMap((outcome, index) =>
    starts.flatMap((from) => {
      const lead = leads(table, from, outcome, reach);
      return lead ? [legalMove(table, side, index, from, lead)] : [];
    }),
  );
}

interface Lead {
  path: number[];
  to: Target;
}

function leads(table: YutTable, from: Place, outcome: Outcome, reach: boolean): Lead | null {
  if (outcome === "backdo") {
    const back = from === "home" ? undefined : table.board[String(from)]?.back;
    if (back === undefined) return null;
    return { path: [back === "goal" ? 0 : back], to: back };
  }
  const path = walk(from, STEPS[outcome]);
  const out = path.length < STEPS[outcome] || (reach && path.at(-1) === 0);
  return { path, to: out ? "goal" : path.at(-1)! };
}

function legalMove(table: YutTable, side: number, throw_index: number, from: Place, { path, to }: Lead): LegalMove {
  const count = from === "home" ? 1 : table.board[String(from)]!.count;
  if (to === "goal") return { throw_index, from, to, path, finishes: count };
  const there = table.board[String(to)];
  return {
    throw_index,
    from,
    to,
    path,
    ...(there && there.side !== side ? { captures: there.count } : {}),
    ...(there && there.side === side ? { joins: there.count } : {}),
  };
}

export function actionOf(move: Move): Action {
  return { type: "move", throw_index: move.throw_index, from: move.from };
}

/** The move that an action asks for, when it is one of these; by what is thrown, whichever of two equal ones it names. */
export function moveOf(found: readonly Move[], table: YutTable, action: Action): Move | null {
  const { throw_index, from } = action;
  if (action.type !== "move" || typeof throw_index !== "number") return null;
  return found.find((move) => move.outcome === table.pending[throw_index] && move.from === from) ?? null;
}

/** May it be sent now? `legal` is the server's list; null while it is on its way. */
export function isLegal(move: Move, legal: readonly Action[] | null): boolean {
  return legal?.some((action) => sameAction(action, actionOf(move))) ?? false;
}
