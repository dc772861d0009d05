// The end of a game in one sentence, out of codes and numbers of its result.
import type { Catalogue } from "./i18n";
import { seatNames, sideShort, type People } from "./people";
import { ranking } from "./sheet";
import { isObject, takenSeats, type Json, type JsonObject, type RoomView } from "./view";

/** null: the result says nothing that we could put into a sentence. */
export function verdict(catalogue: Catalogue, people: People, view: RoomView): string | null {
  const { text } = catalogue;
  const listed = view.result?.winners;
  const places = ranking(view.result).filter((one) => one.rank === 1);
  const seats = Array.isArray(listed) ? listed : places.flatMap((one) => one.seats);
  if (seats.length === 0) return null;
  const best = first(view.result);
  const [total, side, pieces, yachts] = [best.total, best.side, best.finished_pieces, best.yachts].map((one) =>
    typeof one === "number" ? one : null,
  ) as [number | null, number | null, number | null, number | null];
  const names = side !== null && places.length === 1 ? sideShort(catalogue, people, side) : seatNames(catalogue, people, seats);
  const won = takenSeats(view).length < 2 ? "" : text.winner({ names });
  let how = "";
  if (total !== null) how = text.points({ n: total }) + (yachts ? ` (${text.verdict_yachts({ n: yachts })})` : "");
  else if (pieces !== null && pieces === view.options?.pieces) how = `(${text.verdict_home({ n: pieces })})`;
  else if (pieces !== null) how = `(${text.verdict_some({ n: pieces })})`;
  return [won, how].filter(Boolean).join(" ") || null;
}

function first(result: JsonObject | undefined): Record<string, Json> {
  const list = result?.ranking;
  const found = Array.isArray(list) ? list.find((one) => isObject(one) && one.rank === 1) : undefined;
  return isObject(found) ? found : {};
}
