// Why something was refused, in the player's language: the sentence of the code, or a better one where the server says in
// numbers and names what is in the way.
import { ApiError } from "./api";
import type { Catalogue } from "./i18n";
import { modeOf, optionText, seating } from "./options";
import { codeText, term } from "./terms";
import { isObject, takenSeats, type Json, type JsonObject, type RoomView } from "./view";
import type { Detail, GameInfo } from "./wire";

export interface Refusal {
  code: string;
  said: string;
  detail?: Detail | undefined;
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof ApiError) return { code: error.code, said: error.message, detail: error.detail };
  return { code: "internal", said: String(error) };
}

export function refusalText(catalogue: Catalogue, { code, said, detail }: Refusal, gameCodes?: Record<string, string>): string {
  const { text } = catalogue;
  const { field = "", got } = detail ?? {};
  const expected = detail?.expected;
  const beside = isObject(detail?.beside) ? (detail.beside as JsonObject) : {};
  const numbers = Array.isArray(expected) && expected.every((one) => typeof one === "number") ? expected : null;
  if (field === "seats" && numbers && (code === "bad_options" || code === "not_enough_players")) {
    if (Array.isArray(got)) return rowText(catalogue, beside, numbers.length);
    if (typeof got === "number") return countsText(catalogue, beside, numbers, got);
  }
  const plain = codeText(catalogue, code, said, gameCodes);
  if (code === "bad_options" && field) {
    const others = Object.entries(beside).map(([name, value]) => choiceText(catalogue, name, value));
    if (others.length === 0) return text.error_field({ field: term(catalogue, field), text: plain });
    return text.refused_beside({ one: choiceText(catalogue, field, (got ?? null) as Json), other: others.join(", ") });
  }
  if (code === "forced_box" && Array.isArray(expected) && expected.length > 0) {
    return text.refused_box({ boxes: expected.map((box) => term(catalogue, String(box))).join(", ") });
  }
  return plain;
}

/** Why the people at the table cannot start by these rules; null when they can. */
export function startTrouble(catalogue: Catalogue, info: GameInfo, view: RoomView, counts: readonly number[]): string | null {
  const { text } = catalogue;
  const taken = takenSeats(view);
  const mode = seating(info, view.options);
  const beside = modeOf(info, view.options);
  if (!counts.includes(taken.length)) {
    const next = counts.find((count) => count > taken.length);
    return next === undefined || mode
      ? countsText(catalogue, beside, counts, taken.length)
      : text.waiting_players({ missing: next - taken.length });
  }
  const gap = mode?.in_row && taken.some((seat, index) => seat !== index);
  return gap ? rowText(catalogue, beside, taken.length) : null;
}

/** "2–4", or "4, 6, 8". */
export function numbersText(numbers: readonly number[]): string {
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return "";
  const whole = numbers.length > 1 && last - first === numbers.length - 1;
  return whole ? `${first}–${last}` : numbers.join(", ");
}

export function modeText(catalogue: Catalogue, beside: JsonObject): string {
  return Object.entries(beside)
    .map(([name, value]) => (typeof value === "string" ? term(catalogue, value) : choiceText(catalogue, name, value)))
    .join(", ");
}

function countsText(catalogue: Catalogue, beside: JsonObject, counts: readonly number[], n: number): string {
  return begun(catalogue.text.seats_takes({ mode: modeText(catalogue, beside), counts: numbersText(counts), n }));
}

function rowText(catalogue: Catalogue, beside: JsonObject, n: number): string {
  return begun(catalogue.text.seats_in_row({ mode: modeText(catalogue, beside), n }));
}

/** Words of games are written small; a sentence that begins with one is not. */
function begun(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function choiceText(catalogue: Catalogue, name: string, value: Json): string {
  return `${term(catalogue, name)} ${optionText(catalogue, name, value)}`;
}
