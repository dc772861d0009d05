// Controls out of a list of legal actions. The list is concrete, so a control can only offer what the server would take;
// which kind of control fits is read from the actions' own shape. The game's order is kept.
import { isObject, type Action, type Json } from "./view";

export type Control =
  | { kind: "button"; type: string; action: Action }
  /** One array of booleans: hold dice, pick cards. */
  | { kind: "toggles"; type: string; field: string; size: number; actions: Action[] }
  /** One field with plain values: a square, a box, a number. */
  | { kind: "choice"; type: string; field: string; options: { value: Json; action: Action }[] }
  /** Anything else: whole actions, in groups by their first field. */
  | { kind: "list"; type: string; fields: string[]; groups: { value: Json; actions: Action[] }[] };

/** Nobody takes these by accident twice: they are asked about first, and stand last. */
const FINAL = new Set(["concede", "resign", "forfeit", "surrender", "give_up"]);

export function isFinal(type: string): boolean {
  return FINAL.has(type);
}

export function controls(actions: Action[]): Control[] {
  const byType = new Map<string, Action[]>();
  for (const action of actions) byType.set(action.type, [...(byType.get(action.type) ?? []), action]);
  const made = [...byType].map(([type, group]) => control(type, group));
  return made.sort((a, b) => rank(a) - rank(b));
}

/** What a room's own seat may do, as controls; the old ones stay in place (inert) until the new list is here. */
export function offered(room: {
  state: { legal: { seat: number; actions: Action[] } | null };
  seat: number | null;
  myTurn: boolean;
  wantsMore: boolean;
}): Control[] {
  const { legal } = room.state;
  return (room.myTurn || room.wantsMore) && legal && legal.seat === room.seat ? controls(legal.actions) : [];
}

function rank(control: Control): number {
  return isFinal(control.type) ? 1 : 0;
}

function control(type: string, actions: Action[]): Control {
  const names = [...new Set(actions.flatMap((action) => Object.keys(action)))].filter((name) => name !== "type");
  const [field] = names;
  if (field === undefined) return { kind: "button", type, action: actions[0]! };
  if (names.length === 1) {
    const values = actions.map((action) => action[field] ?? null);
    const size = Array.isArray(values[0]) ? values[0].length : 0;
    if (size > 0 && values.every((value) => isFlags(value) && value.length === size)) {
      return { kind: "toggles", type, field, size, actions };
    }
    if (values.every((value) => typeof value !== "object" || value === null)) {
      const options = actions.map((action) => ({ value: action[field] ?? null, action }));
      return { kind: "choice", type, field, options };
    }
  }
  const groups = new Map<string, { value: Json; actions: Action[] }>();
  for (const action of actions) {
    const value = action[field] ?? null;
    const key = JSON.stringify(value);
    const group = groups.get(key) ?? { value, actions: [] };
    group.actions.push(action);
    groups.set(key, group);
  }
  return { kind: "list", type, fields: names, groups: [...groups.values()] };
}

function isFlags(value: Json): value is boolean[] {
  return Array.isArray(value) && value.every((item) => typeof item === "boolean");
}

/** How toggles stand on the table now, when the table shows them under the action's own field name. */
export function shownFlags(table: Json | undefined, field: string, size: number): boolean[] | null {
  const value = isObject(table) ? table[field] : undefined;
  return value !== undefined && isFlags(value) && value.length === size ? value : null;
}

/** The legal action whose flags are exactly `flags`. */
export function withFlags(control: Extract<Control, { kind: "toggles" }>, flags: boolean[]): Action | null {
  const wanted = JSON.stringify(flags);
  return control.actions.find((action) => JSON.stringify(action[control.field]) === wanted) ?? null;
}

/**
 * What an index stands for: `throw_index: 1` where the table has exactly one list of words long enough to be meant. Null
 * when that cannot be told; then the number itself is shown.
 */
export function indexed(table: Json | undefined, field: string, value: Json): string | null {
  if (!/_?index$/i.test(field) || typeof value !== "number" || !isObject(table)) return null;
  const lists = Object.values(table).filter(
    (list): list is string[] => Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === "string"),
  );
  return lists.length === 1 ? (lists[0]![value] ?? null) : null;
}

/** A number that the table's `preview` gives for a value: what scoring in this box would bring. */
export function previewOf(table: Json | undefined, value: Json): number | null {
  if (!isObject(table) || !isObject(table.preview) || typeof value !== "string") return null;
  const points = Object.hasOwn(table.preview, value) ? table.preview[value] : null;
  return typeof points === "number" ? points : null;
}
