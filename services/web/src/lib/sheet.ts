// How to lay out a view that nobody has drawn: each value gets one of a few shapes, by its name and form alone. Guesses
// may only improve the looks; whatever is not recognised is still shown, as labelled text.
import type { People } from "./people";
import { snake } from "./terms";
import { isObject, type Json, type JsonObject } from "./view";

export type Shape =
  | { kind: "scalar" }
  | { kind: "seat"; seats: number[] }
  | { kind: "dice"; faces: number[] }
  | { kind: "flags"; flags: boolean[] }
  | { kind: "list"; items: Json[] }
  | { kind: "seats"; seats: number[]; rows: Row[] }
  /** keys: what each row is called, for a map of records; null for a list. */
  | { kind: "table"; columns: string[]; rows: JsonObject[]; keys: string[] | null }
  | { kind: "cards"; items: Json[] }
  | { kind: "fields"; entries: [string, Json][] };

/** One line of a table whose columns are seats. */
export interface Row {
  name: string;
  values: (Json | undefined)[];
  /** A line of a nested object (a box), not a sum beside it. */
  inner: boolean;
}

const SEAT_FIELDS = new Set([
  "seat",
  "seats",
  "order",
  "turn_order",
  "current",
  "winner",
  "winners",
  "conceded",
  "acting",
  "members",
]);
// Maps whose numbers are places or sides, even when there happen to be as many as seats.
const NOT_SEATS = /^(board|nodes?|spots?|squares?|cells?|points|sides?|teams?|pieces|counts?|stats|throws|captures)$/;
const COLUMNS_MAX = 8;

export function isSeatField(name: string): boolean {
  return SEAT_FIELDS.has(snake(name));
}

function seatCount(people: People): number {
  return Object.keys(people.view?.seats ?? {}).length;
}

function isSeat(value: Json, people: People): value is number {
  return typeof value === "number" && Object.hasOwn(people.view?.seats ?? {}, String(value));
}

export function isScalar(value: Json | undefined): boolean {
  return typeof value !== "object" || value === null;
}

/**
 * order: identifiers in the order in which lines of seat tables are told; others follow as they come. boxes:
 * lines to show although nobody has filled them yet.
 */
export function shape(
  name: string,
  value: Json,
  people: People,
  order: readonly string[] = [],
  boxes: readonly string[] = [],
): Shape {
  if (Array.isArray(value)) return arrayShape(name, value, people);
  if (!isObject(value)) {
    return isSeatField(name) && isSeat(value, people) ? { kind: "seat", seats: [value] } : { kind: "scalar" };
  }
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.length === seatCount(people) && !NOT_SEATS.test(snake(name))) {
    const seats = keys.map(Number).sort((a, b) => a - b);
    if (seats.every((seat) => isSeat(seat, people))) return { kind: "seats", seats, rows: seatRows(value, seats, order, boxes) };
  }
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) {
    const table = records(Object.values(value), keys);
    if (table) return table;
  }
  return { kind: "fields", entries: Object.entries(value) };
}

function arrayShape(name: string, value: Json[], people: People): Shape {
  if (value.length === 0) return { kind: "list", items: value };
  if (isDice(name, value)) return { kind: "dice", faces: value };
  if (isSeatField(name) && value.every((item) => isSeat(item, people))) return { kind: "seat", seats: value as number[] };
  if (value.every((item) => typeof item === "boolean")) return { kind: "flags", flags: value as boolean[] };
  if (value.every(isScalar)) return { kind: "list", items: value };
  return records(value, null) ?? { kind: "cards", items: value };
}

/** Objects of plain fields as lines of a table, when it does not get too wide. */
function records(values: Json[], keys: string[] | null): Shape | null {
  if (!values.every(isObject)) return null;
  const rows = values as JsonObject[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const flat = rows.every((row) => Object.values(row).every((cell) => isScalar(cell) || isScalarList(cell)));
  return flat && columns.length <= COLUMNS_MAX ? { kind: "table", columns, rows, keys } : null;
}

function isScalarList(value: Json): boolean {
  return Array.isArray(value) && value.every(isScalar);
}

export function isDice(name: string, value: Json | undefined): value is number[] {
  return (
    /(^|_)dice$/.test(snake(name)) &&
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((face) => typeof face === "number" && Number.isInteger(face) && face >= 1 && face <= 6)
  );
}

/** {"0": {scores: {ones: 3}, total: 3}, "1": …} -> one row per box and sum, one value per seat. */
function seatRows(value: JsonObject, seats: number[], order: readonly string[], boxes: readonly string[]): Row[] {
  const columns = seats.map((seat) => value[String(seat)] as Json);
  if (!columns.every(isObject)) return [{ name: "", values: columns, inner: false }];
  const names = [...new Set(columns.flatMap((column) => Object.keys(column as JsonObject)))];
  const rows: Row[] = [];
  for (const name of names) {
    const cells = columns.map((column) => (column as JsonObject)[name]);
    const nested = cells.filter((cell) => cell !== undefined);
    if (!nested.every(isObject)) {
      rows.push({ name, values: cells, inner: false });
      continue;
    }
    const inner = [...new Set([...nested.flatMap((cell) => Object.keys(cell as JsonObject)), ...boxes])];
    const at = (key: string) => (order.includes(snake(key)) ? order.indexOf(snake(key)) : order.length);
    inner.sort((a, b) => at(a) - at(b));
    for (const key of inner) {
      const values = cells.map((cell) => (isObject(cell) && Object.hasOwn(cell, key) ? cell[key] : undefined));
      rows.push({ name: key, values, inner: true });
    }
  }
  return rows;
}

export interface Ranked {
  rank: number;
  seats: number[];
  /** What the place was won by, when the result calls it total or score. */
  total: number | null;
  /** Pieces that went out, where that is what decides. */
  pieces: number | null;
}

/** The places of a result: any list of it whose items have `rank` and say whose. */
export function ranking(result: JsonObject | undefined): Ranked[] {
  for (const value of Object.values(result ?? {})) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const places = value.map(place);
    if (places.every((item) => item !== null)) return places.sort((a, b) => a.rank - b.rank);
  }
  return [];
}

function place(item: Json): Ranked | null {
  if (!isObject(item) || typeof item.rank !== "number") return null;
  const owners = [item.seat, item.seats, item.members].flat().filter((seat) => typeof seat === "number");
  const total = [item.total, item.score, item.points].find((value) => typeof value === "number");
  const pieces = [item.finished_pieces, item.finishedPieces].find((value) => typeof value === "number");
  return owners.length > 0 ? { rank: item.rank, seats: owners, total: total ?? null, pieces: pieces ?? null } : null;
}
