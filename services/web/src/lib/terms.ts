// Identifiers of games as words: from the catalogue when it has them, else the identifier itself in plain letters.
import type { Catalogue } from "./i18n";
import type { Json } from "./view";

/** `fullHouse`, `full_house`, `FULL_HOUSE` -> `full_house`. */
export function snake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();
}

// Trademarks that identifiers of rule sets contain, but screens must not.
const OURS: [RegExp, string][] = [
  [/yah?tzee/gi, "yacht"],
  [/(clubhouse|worldwide)( games)?( 51)?/gi, ""],
  [/\byacht ?51\b/gi, "yacht"],
];

export function humanise(name: string): string {
  let text = snake(name).replaceAll("_", " ").trim();
  for (const [mark, word] of OURS) text = text.replace(mark, word);
  return text.replace(/\s+/g, " ").trim();
}

export function term(catalogue: Catalogue, name: string): string {
  const key = snake(name);
  const terms: Record<string, string> = catalogue.terms;
  return Object.hasOwn(terms, key) ? terms[key]! : humanise(name);
}

/** What belongs into the one line of a game's rules although nobody can choose it; "" for most games. */
export function gameNote(catalogue: Catalogue, game: string): string {
  const terms: Record<string, string> = catalogue.terms;
  const key = `note_${snake(game)}`;
  return Object.hasOwn(terms, key) ? terms[key]! : "";
}

/** A box by its name in the rule set that is played: the same box is called otherwise from set to set. */
export function boxTerm(catalogue: Catalogue, box: string, scoring: Json | undefined): string {
  const terms: Record<string, string> = catalogue.terms;
  const own = `${snake(box)}_${snake(String(scoring ?? ""))}`;
  return Object.hasOwn(terms, own) ? terms[own]! : term(catalogue, box);
}

export function gameName(catalogue: Catalogue, game: string): string {
  const terms: Record<string, string> = catalogue.terms;
  const key = `game_${snake(game)}`;
  return Object.hasOwn(terms, key) ? terms[key]! : humanise(game);
}

/** The sentence for a server code: ours, else the game's Korean one, else what the server said, else the code. */
export function codeText(
  catalogue: Catalogue,
  code: string,
  said: string,
  gameCodes: Record<string, string> = {},
): string {
  if (code === "offline") return catalogue.text.error_offline;
  const codes: Record<string, string> = catalogue.codes;
  if (Object.hasOwn(codes, code)) return codes[code]!;
  return said || (Object.hasOwn(gameCodes, code) ? gameCodes[code]! : humanise(code));
}

/** A scalar as it is read: numbers as they are, booleans as yes and no, identifiers as words. `field` gives the unit. */
export function scalarText(catalogue: Catalogue, field: string, value: Json): string {
  if (value === null || value === undefined) return catalogue.text.none;
  if (typeof value === "boolean") return value ? catalogue.text.yes : catalogue.text.no;
  if (typeof value === "number") {
    const name = snake(field);
    if (name.endsWith("_seconds")) return catalogue.text.seconds({ n: value });
    if (name.endsWith("_percent")) return `${value}%`;
    return String(value);
  }
  return typeof value === "string" ? term(catalogue, value) : JSON.stringify(value);
}
