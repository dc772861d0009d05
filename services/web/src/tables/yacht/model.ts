// The view of Yacht as the table draws it: read field by field, because it comes from outside, and what each box is now.
import { isObject, type Json, type JsonObject } from "../../lib/view";
import { ROLLS_MAX, TARGET, UPPER, YACHT_BONUS, YACHT_POINTS, faceOf, type Box, type Rules } from "./rules";

export interface Sheet {
  scores: Partial<Record<Box, number>>;
  upper: number;
  upperBonus: number;
  lower: number;
  yachtBonus: number;
  total: number;
}

export interface Table {
  order: number[];
  round: number;
  rounds: number;
  rolls: number;
  /** Five flags. */
  held: boolean[];
  /** null before a turn's first roll. */
  dice: number[] | null;
  /** null after the end. */
  current: number | null;
  conceded: number[];
  sheets: Record<string, Sheet>;
  /** The boxes that may be written now, by the seat in turn; null without dice, or when it is not for us to see. */
  preview: Partial<Record<Box, number>> | null;
}

const DICE = 5;

function number(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

function numbers(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "number") : [];
}

function points(value: Json | undefined): Partial<Record<Box, number>> {
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).filter(([, n]) => typeof n === "number"));
}

function sheet(value: Json | undefined): Sheet {
  const of: JsonObject = isObject(value) ? value : {};
  return {
    scores: points(of.scores),
    upper: number(of.upper),
    upperBonus: number(of.upper_bonus),
    lower: number(of.lower),
    yachtBonus: number(of.yacht_bonus),
    total: number(of.total),
  };
}

export function read(table: Json | undefined): Table {
  const of: JsonObject = isObject(table) ? table : {};
  const dice = numbers(of.dice);
  const held = Array.isArray(of.held) ? of.held : [];
  return {
    order: numbers(of.order),
    round: number(of.round),
    rounds: number(of.rounds),
    rolls: number(of.rolls_used),
    held: Array.from({ length: DICE }, (_, i) => held[i] === true),
    dice: dice.length === DICE ? dice : null,
    current: typeof of.current === "number" ? of.current : null,
    conceded: numbers(of.conceded),
    sheets: Object.fromEntries(Object.entries(isObject(of.sheets) ? of.sheets : {}).map(([key, one]) => [key, sheet(one)])),
    preview: isObject(of.preview) ? points(of.preview) : null,
  };
}

export function sheetOf(table: Table, seat: number): Sheet {
  return table.sheets[String(seat)] ?? sheet(undefined);
}

/** Why a box is locked: the yacht must go into `box` first, or ("lower") into any open box below. */
export type Lock = Box | "lower";

export type Cell =
  | { kind: "filled"; points: number }
  | { kind: "open" }
  | { kind: "offer"; points: number }
  | { kind: "locked"; first: Lock };

/** What `box` is for `seat` now. Only the seat in turn has offers, and boxes that a further yacht may not go to. */
export function cell(table: Table, rules: Rules, seat: number, box: Box): Cell {
  const { scores } = sheetOf(table, seat);
  const filled = scores[box];
  if (filled !== undefined) return { kind: "filled", points: filled };
  const { preview, dice } = table;
  if (seat !== table.current || !preview || !dice) return { kind: "open" };
  const offered = preview[box];
  if (offered !== undefined) return { kind: "offer", points: offered };
  const own = UPPER[(dice[0] ?? 1) - 1];
  return rules.joker === "" || own === undefined
    ? { kind: "open" }
    : { kind: "locked", first: scores[own] === undefined ? own : "lower" };
}

/** What the large sheet needs to know of whoever looks at it, and what it can ask for. */
export interface Hand {
  /** It is our turn, so that offers are for us. */
  mine: boolean;
  /** Nothing may be asked at the moment. */
  inert: boolean;
  /** The dice are still in the air: what they give is not to be seen yet. */
  covered: boolean;
  record(box: Box): void;
  why(box: Box): void;
  help(box: Box): void;
}

/** What writing a further yacht anywhere brings on top of the box. */
export function furtherYacht(table: Table, rules: Rules, seat: number): number {
  const same = table.dice?.every((face) => face === table.dice?.[0]) ?? false;
  return same && rules.joker !== "" && sheetOf(table, seat).scores.yacht === YACHT_POINTS ? YACHT_BONUS : 0;
}

export type Bonus =
  | { kind: "none" }
  | { kind: "won"; points: number }
  | { kind: "lost" }
  /** pace: how far the boxes written so far are above (or below) three of each face. */
  | { kind: "open"; left: number; pace: number };

export function bonus(of: Sheet, rules: Rules): Bonus {
  if (rules.upperBonus === 0) return { kind: "none" };
  if (of.upperBonus > 0) return { kind: "won", points: of.upperBonus };
  const open = UPPER.filter((box) => of.scores[box] === undefined);
  const most = open.reduce((sum, box) => sum + DICE * faceOf(box), of.upper);
  if (most < TARGET) return { kind: "lost" };
  const due = UPPER.filter((box) => !open.includes(box)).reduce((sum, box) => sum + 3 * faceOf(box), 0);
  return { kind: "open", left: Math.max(0, TARGET - of.upper), pace: of.upper - due };
}

/** What the roll button says, and whether it rolls ("first", "again"). */
export type RollState = "first" | "again" | "sending" | "all_held" | "none_left" | "wait";

export function rollState(table: Table, mine: boolean, held: readonly boolean[], sending: boolean): RollState {
  if (!mine) return "wait";
  if (sending) return "sending";
  if (table.dice === null) return "first";
  if (table.rolls >= ROLLS_MAX) return "none_left";
  return held.every(Boolean) ? "all_held" : "again";
}

/** Seats as columns: the one shown first, then in the order of play after it. */
export function columns(table: Table, first: number): number[] {
  const at = Math.max(0, table.order.indexOf(first));
  return [...table.order.slice(at), ...table.order.slice(0, at)];
}
