// An options form out of a JSON Schema (2020-12, as msgspec writes it): each property becomes one field of a kind that a
// page can draw. Anything that is none of them is edited as JSON text, so no option of any game is out of reach.
import type { Catalogue } from "./i18n";
import { scalarText, snake, term } from "./terms";
import { isObject, type Json, type JsonObject } from "./view";

export type Field = { name: string; default: Json; nullable: boolean } & (
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

/** Options as a form holds them: every field, null for those that the room's view leaves out. */
export function complete(all: Field[], options: JsonObject | undefined): JsonObject {
  return Object.fromEntries(
    all.map((field) => [field.name, options ? (options[field.name] ?? (field.nullable ? null : field.default)) : field.default]),
  );
}

/**
 * What to send: only what differs from the default. An option that means nothing beside the others must be left out, and
 * leaving everything out that nobody touched is the one way to do so without knowing the game.
 */
export function sparse(all: Field[], options: JsonObject): JsonObject {
  const touched = all.filter((field) => !same(options[field.name] ?? null, field.default));
  return Object.fromEntries(touched.map((field) => [field.name, options[field.name] ?? null]));
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** One option's value in words. */
export function optionText(catalogue: Catalogue, name: string, value: Json): string {
  const { text } = catalogue;
  if (value === null) return /_(seconds|ms|limit|max)$/.test(snake(name)) ? text.no_limit : text.by_rules;
  if (typeof value === "boolean") return value ? text.on : text.off;
  return scalarText(catalogue, name, value);
}

export interface SummaryPart {
  name: string;
  text: string;
  changed: boolean;
}

/** The rules in one line: all that differs from the default, then the rest that says something on its own. */
export function summary(catalogue: Catalogue, all: Field[], options: JsonObject): SummaryPart[] {
  const parts = all.map((field): SummaryPart & { silent: boolean } => {
    const value = options[field.name] ?? null;
    const changed = !same(value, field.default);
    return {
      name: field.name,
      text: `${term(catalogue, field.name)} ${optionText(catalogue, field.name, value)}`,
      changed,
      silent: !changed && (value === null || typeof value === "boolean") && field.kind !== "number",
    };
  });
  // A time limit says something even when it is the default of none.
  const told = parts.filter((part) => !part.silent || /_seconds$/.test(snake(part.name)));
  return told
    .sort((a, b) => Number(b.changed) - Number(a.changed))
    .map(({ name, text, changed }) => ({ name, text, changed }));
}
