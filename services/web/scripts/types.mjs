// Makes src/lib/wire.ts from schemas/json (run `python -m services.cli.schema` first). `--check` only compares.
//
// All documents are merged into one, so that a part that several of them use (Settings) is declared once. Two different
// parts of one name would be a silent lie, therefore they stop the run.
import { readFile, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { compile } from "json-schema-to-typescript";

const SCHEMAS = new URL("../../../schemas/json/", import.meta.url);
const TARGET = new URL("../src/lib/wire.ts", import.meta.url);
const BANNER = "// Generated from schemas/json by scripts/types.mjs (`npm run types`). Do not edit.";

/** msgspec writes JSON Schema 2020-12, the generator reads draft 7; open maps and tuples are said differently there. */
function draft7(schema) {
  if (Array.isArray(schema)) return schema.map(draft7);
  if (schema === null || typeof schema !== "object") return schema;
  const { prefixItems, default: _, ...rest } = schema; // a default beside a $ref would hide what it refers to
  const out = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, draft7(value)]));
  if (out.type === "object" && !("properties" in out) && !("additionalProperties" in out)) out.additionalProperties = {};
  if (prefixItems) Object.assign(out, { items: draft7(prefixItems), additionalItems: false });
  return out;
}

async function merged(names) {
  const all = { title: "Wire", type: "object", properties: {}, additionalProperties: false, required: [], $defs: {} };
  for (const name of names) {
    const { $defs, $schema: _, title, discriminator: __, ...root } = JSON.parse(
      await readFile(new URL(name, SCHEMAS), "utf8"),
    );
    for (const [part, schema] of Object.entries($defs)) {
      if (part in all.$defs && !isDeepStrictEqual(all.$defs[part], schema)) {
        throw new Error(`${name}: ${part} differs from the part of that name in another document`);
      }
      all.$defs[part] = schema;
    }
    all.$defs[title] = root;
    all.properties[title] = { $ref: `#/$defs/${title}` };
    all.required.push(title);
  }
  return all;
}

const generated = await compile(draft7(await merged(["ask.json", "tell.json", "http.json", "room.json"])), "Wire", {
  bannerComment: BANNER,
  additionalProperties: false,
  format: true,
  style: { printWidth: 120 },
  unknownAny: true,
});

if (process.argv.includes("--check")) {
  const stored = await readFile(TARGET, "utf8").catch(() => "");
  if (stored !== generated) {
    console.error("src/lib/wire.ts is stale: run `npm run types` and commit the result");
    process.exit(1);
  }
} else {
  await writeFile(TARGET, generated);
}
