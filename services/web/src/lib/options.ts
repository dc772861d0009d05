// An options form out of a JSON Schema (2020-12, as msgspec writes it): each property becomes one field of a kind that a
// page can draw. Anything that is none of them is edited as JSON text, so no option of any game is out of reach.
import type { Catalogue } from "./i18n";
import { scalarText, snake, term } from "./terms";
import { isObject, type Json, type JsonObject } from "./view";
import type { Fit, GameInfo, Seating } from "./wire";

/** fits: where the option has a meaning, as the server says; undefined: everywhere. */
export type Field = { name: string; default: Json; nullable: boolean; fits?: readonly Fit[] } & (
  | { kind: "switch" }
  | { kind: "choice"; values: Json[] }
  | { kind: "number"; min: number | null; max: number | null }
  | { kind: "text"; max: number | null }
  | { kind: "json" }
);

/** Follow `$ref`s inside one document. A reference that leads nowhere, or in a circle, is an empty schema. */
export function resolve(root: JsonObject, schema: Json | undefined): JsonObject {
  let at = schema;
  for (let hops = 0; hops < 8 && isObject(at) && typeof at.$ref === "string"; hops++) {
    let target: Json | undefined = root;
    for (const part of at.$ref.replace(/^#\/?/, "").split("/").filter(Boolean)) {
      target = isObject(target) ? target[part] : undefined;
    }
    at = target;
  }
  return isObject(at) && typeof at.$ref !== "string" ? at : {};
}

/** The fields of a game's options, of none as long as the game is not known. */
export function formOf(info: GameInfo | null): Field[] {
  if (!info) return [];
  const fits = info.fits ?? [];
  return fields(info.options as JsonObject, info.defaults as JsonObject).map((field) => {
    const own = fits.filter((fit) => fit.option === field.name);
    return own.length > 0 ? { ...field, fits: own } : field;
  });
}

/** Fields in the order of the schema. `defaults` wins over the schema's own defaults. */
export function fields(schema: JsonObject, defaults: JsonObject): Field[] {
  const root = resolve(schema, schema);
  const properties = isObject(root.properties) ? root.properties : {};
  return Object.entries(properties).map(([name, raw]) => {
    const own = isObject(raw) ? raw.default : undefined;
    const standard = defaults[name] ?? own ?? null;
    return { name, default: standard, ...shape(schema, raw, standard) } as Field;
  });
}

function shape(root: JsonObject, raw: Json, standard: Json): { kind: Field["kind"]; nullable: boolean } & Record<string, unknown> {
  const schema = resolve(root, raw);
  const branches = (Array.isArray(schema.anyOf) ? schema.anyOf : [schema]).map((branch) => resolve(root, branch));
  const isNull = (branch: JsonObject) => branch.type === "null";
  const real = branches.filter((branch) => !isNull(branch));
  let nullable = real.length < branches.length;

  const values: Json[] = [];
  for (const branch of real) {
    if (Array.isArray(branch.enum)) values.push(...branch.enum);
    else if ("const" in branch) values.push(branch.const ?? null);
    else if (branch.type === "boolean" && (nullable || real.length > 1)) values.push(true, false);
    else if (real.length > 1) return { kind: "json", nullable };
  }
  // msgspec writes `Literal[30, 60] | None` as one enum that contains null.
  if (values.includes(null)) nullable = true;
  const listed = values.filter((value) => value !== null);
  if (listed.length > 0) {
    // Schemas list words by the alphabet, which means nothing to a reader; the default goes first.
    const first = listed.filter((value) => typeof value === "string" && value === standard);
    const values = [...first, ...listed.filter((value) => !first.includes(value)), ...(nullable ? [null] : [])];
    return { kind: "choice", values, nullable };
  }

  const [only = {}] = real;
  const bound = (key: string) => (typeof only[key] === "number" ? only[key] : null);
  if (only.type === "boolean") return { kind: "switch", nullable };
  if (only.type === "integer") return { kind: "number", min: bound("minimum"), max: bound("maximum"), nullable };
  if (only.type === "string") return { kind: "text", max: bound("maxLength"), nullable };
  return { kind: "json", nullable };
}

/**
 * The fields that have a meaning beside `options`, each with its default there. What would only say "as usual" is not
 * offered where it is known what is usual.
 */
export function fitting(all: readonly Field[], options: JsonObject): Field[] {
  const value = (name: string) => options[name] ?? all.find((field) => field.name === name)?.default ?? null;
  return all.flatMap((field): Field[] => {
    if (!field.fits) return [field];
    const fit = field.fits.find((one) => holds(one.needs, value));
    if (!fit) return [];
    const usual = (fit.usual as Json | undefined) ?? null;
    if (usual === null) return [field];
    const there = { ...field, default: usual, nullable: false };
    return [there.kind === "choice" ? { ...there, values: ordered(there.values, usual) } : there];
  });
}

function holds(needs: Record<string, unknown[]>, value: (name: string) => Json): boolean {
  return Object.entries(needs).every(([name, values]) => values.some((one) => same(one as Json, value(name))));
}

/** Words before numbers, the usual word first; without null. */
function ordered(values: readonly Json[], usual: Json): Json[] {
  const rank = (value: Json) => (typeof value !== "string" ? 2 : value === usual ? 0 : 1);
  return values.filter((value) => value !== null).sort((a, b) => rank(a) - rank(b));
}

/** How many may play by these options, ascending. */
export function playerCounts(info: GameInfo, options: JsonObject): number[] {
  return seating(info, options)?.counts ?? seatRange(info);
}

/** How many may play by some options or other. */
export function seatRange(info: GameInfo): number[] {
  return Array.from({ length: info.seats_max - info.seats_min + 1 }, (_, i) => info.seats_min + i);
}

/** What the server says of the seats beside these options, if it says anything. */
export function seating(info: GameInfo, options: JsonObject): Seating | undefined {
  const defaults = info.defaults as JsonObject;
  return (info.seatings ?? []).find((one) => holds(one.needs, (name) => options[name] ?? defaults[name] ?? null));
}

/** The options on which the number of players depends, as they stand; {} where there are none. */
export function modeOf(info: GameInfo, options: JsonObject): JsonObject {
  const defaults = info.defaults as JsonObject;
  const names = Object.keys(seating(info, options)?.needs ?? {});
  return Object.fromEntries(names.map((name) => [name, options[name] ?? defaults[name] ?? null]));
}

/** Options as a form holds them: every field that has a meaning, null for those that the room's view leaves out. */
export function complete(all: readonly Field[], options: JsonObject | undefined): JsonObject {
  return Object.fromEntries(
    fitting(all, options ?? {}).map((field) => [
      field.name,
      options ? (options[field.name] ?? (field.nullable ? null : field.default)) : field.default,
    ]),
  );
}

/**
 * What to send: only what differs from the default and has a meaning beside the rest. An option that means nothing must be
 * left out; that what nobody touched is left out, too, does so even for a game that does not say what fits.
 */
export function sparse(all: readonly Field[], options: JsonObject): JsonObject {
  const touched = fitting(all, options).filter((field) => !same(valueOf(field, options), field.default));
  return Object.fromEntries(touched.map((field) => [field.name, valueOf(field, options)]));
}

/** The form after one change. What stood at its default follows the default, which may be another one beside the new value. */
export function withChoice(all: readonly Field[], options: JsonObject, name: string, value: Json): JsonObject {
  const usual = new Set(fitting(all, options).flatMap((field) => (field.fits && same(valueOf(field, options), field.default) ? [field.name] : [])));
  const kept = Object.entries(options).filter(([other]) => other !== name && !usual.has(other));
  return complete(all, { ...Object.fromEntries(kept), [name]: value });
}

/** A form's value: an option that just got its meaning has none yet and is at its default. */
export function valueOf(field: Field, options: JsonObject): Json {
  return options[field.name] ?? (field.nullable ? null : field.default);
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** One option's value in words. */
export function optionText(catalogue: Catalogue, name: string, value: Json): string {
  const { text } = catalogue;
  if (value === null) return /_(seconds|ms|limit|max)$/.test(snake(name)) ? text.no_limit : text.by_rules;
  if (typeof value === "boolean") return value ? text.on : text.off;
  if (typeof value === "number" && /_(score|bonus)$/.test(snake(name))) return text.points({ n: value });
  return scalarText(catalogue, name, value);
}

export interface SummaryPart {
  name: string;
  text: string;
  changed: boolean;
}

/** The rules in one line: all that differs from the default, then the rest that says something on its own. */
export function summary(catalogue: Catalogue, all: readonly Field[], options: JsonObject): SummaryPart[] {
  const parts = fitting(all, options).map((field): SummaryPart & { silent: boolean } => {
    const value = valueOf(field, options);
    const changed = !same(value, field.default);
    return {
      name: field.name,
      text: `${term(catalogue, field.name)} ${optionText(catalogue, field.name, value)}`,
      changed,
      // What is off as usual goes without saying; what is on does not.
      silent: !changed && (value === null || value === false) && field.kind !== "number",
    };
  });
  // A time limit says something even when it is the default of none.
  const told = parts.filter((part) => !part.silent || /_seconds$/.test(snake(part.name)));
  return told
    .sort((a, b) => Number(b.changed) - Number(a.changed))
    .map(({ name, text, changed }) => ({ name, text, changed }));
}
