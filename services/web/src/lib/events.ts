// Events as sentences. Those of the room are known; those of a game may be, and are checked field by field, because another
// game may use the same word for something else. Whatever has no sentence is told by its name and its fields.
import { changeText } from "./changes";
import type { Catalogue } from "./i18n";
import { playerName, seatName, seatNames, sideName, sideShort, type People } from "./people";
import { isSeatField } from "./sheet";
import type { LogItem } from "./state";
import { boxTerm, scalarText, term } from "./terms";
import { isObject, type GameEvent, type Json, type RoomEvent } from "./view";

const HIDDEN = new Set(["type", "draws", "auto", "seat", "turn", "since_ms", "at_ms", "path", "cut", "owed", "throw_index"]);

/** What a line of the log says; "" when there is nothing to say. */
export function logText(
  catalogue: Catalogue,
  people: People,
  item: LogItem,
  summarise: (options: Json) => string = () => "",
): string {
  if (!item.changes) return eventText(catalogue, people, item.event, summarise);
  if (item.changes.length === 0) return "";
  const told = item.changes.map((change) => changeText(catalogue, change));
  return catalogue.text.ev_configured({ summary: told.join(" · ") });
}

/** `summarise`: the rules in one line, for changed options. */
export function eventText(
  catalogue: Catalogue,
  people: People,
  event: GameEvent,
  summarise: (options: Json) => string = () => "",
): string {
  const sentence = room(catalogue, people, event as unknown as RoomEvent, summarise) ?? game(catalogue, people, event);
  return event.auto === true ? catalogue.text.ev_auto({ text: sentence }) : sentence;
}

function room(
  catalogue: Catalogue,
  people: People,
  event: RoomEvent,
  summarise: (options: Json) => string,
): string | null {
  const { text } = catalogue;
  const seat = (n: number) => seatName(catalogue, people, n);
  const seats = (list: readonly number[]) => seatNames(catalogue, people, list);
  const player = (id: string) => playerName(catalogue, people, id);
  switch (event.type) {
    case "opened":
      return text.ev_opened;
    case "seated":
      return text.ev_seated({ name: player(event.player) });
    case "left":
      return event.kicked ? text.ev_kicked({ name: player(event.player) }) : text.ev_left({ name: player(event.player) });
    case "seat_changed":
      return text.ev_seat_changed({ from: event.seat + 1, to: event.to + 1 });
    case "ready_set":
      return event.ready ? text.ev_ready({ name: seat(event.seat) }) : text.ev_not_ready({ name: seat(event.seat) });
    case "promised":
      return text.ev_promised({ name: seat(event.seat) });
    case "countdown_started":
      return text.ev_countdown;
    case "countdown_stopped":
      return text.ev_countdown_stopped;
    case "touched":
      return text.ev_touched;
    case "idle_warned":
      return text.ev_idle_warned;
    case "closed":
      return text.ev_closed;
    case "rematch_voted":
      return event.want ? text.ev_rematch({ name: seat(event.seat) }) : text.ev_rematch_off({ name: seat(event.seat) });
    case "rematch_agreed":
      return text.ev_rematch_agreed;
    case "host_changed":
      return text.ev_host_changed({ name: player(event.player) });
    case "configured":
      return text.ev_configured({ summary: summarise(event.options as Json) });
    case "started":
      return text.ev_started;
    case "nonce_opened":
      return text.ev_nonce_opened({ name: seat(event.seat) });
    case "began":
      return event.withheld?.length ? text.ev_began_withheld({ names: seats(event.withheld) }) : text.ev_began;
    case "connected":
      return text.ev_connected({ name: seat(event.seat) });
    case "disconnected":
      return text.ev_disconnected({ name: seat(event.seat) });
    case "timed_out": {
      const names = seats(event.seats);
      const told = event.cause === "absent" ? text.ev_timed_out_absent({ names }) : text.ev_timed_out({ names });
      return event.away?.length ? `${told} ${text.ev_away({ names: seats(event.away) })}` : told;
    }
    case "house_away":
      return text.ev_house_away;
    case "log_full":
      return text.ev_log_full;
    case "locked":
      return event.locked ? text.ev_locked : text.ev_unlocked;
    case "expelled":
      return text.ev_kicked({ name: player(event.player) });
    case "silenced":
      return event.silent ? text.ev_silenced({ name: player(event.player) }) : text.ev_unsilenced({ name: player(event.player) });
    case "back":
      return text.ev_back({ name: seat(event.seat) });
    case "game_over":
      return text.ev_game_over;
    case "revealed":
      return text.ev_revealed;
    default:
      return null;
  }
}

function game(catalogue: Catalogue, people: People, event: GameEvent): string {
  const { text } = catalogue;
  const { seat, points, dice, held, category, order, round } = event;
  const side = typeof event.side === "number" ? sideShort(catalogue, people, event.side) : "";
  const name = typeof seat === "number" ? seatName(catalogue, people, seat) : side;
  switch (event.type) {
    case "dealt":
      if (Array.isArray(order)) return text.ev_dealt({ names: seatNames(catalogue, people, order) });
      break;
    case "rolled":
      if (name && Array.isArray(dice)) return text.ev_rolled({ name, dice: dice.join(" ") });
      break;
    case "hold_changed":
      if (name && Array.isArray(held)) return text.ev_hold_changed({ name, held: positions(catalogue, held) });
      break;
    case "scored":
      if (name && typeof category === "string" && typeof points === "number") {
        const bonus = typeof event.bonus === "number" ? event.bonus : 0;
        const told = text.ev_scored({ name, box: boxTerm(catalogue, category, people.view?.options?.scoring), points });
        return bonus > 0 ? `${told} ${text.ev_further({ points: bonus })}` : told;
      }
      break;
    case "upper_bonus":
      if (name && typeof points === "number") return text.ev_upper_bonus({ name, points });
      break;
    case "round_changed":
      if (typeof round === "number") return text.ev_round_changed({ round });
      break;
    case "turn_changed":
      if (name) return text.ev_turn_changed({ name });
      break;
    case "conceded":
      if (name) return text.ev_conceded({ name });
      break;
    default: {
      const told = onBoard(catalogue, people, event, name);
      if (told) return told;
    }
  }
  const what = term(catalogue, event.type);
  const fields = Object.entries(event)
    .filter(([field]) => !HIDDEN.has(field) && field !== "side")
    .map(([field, value]) => `${term(catalogue, field)} ${plain(catalogue, people, field, value)}`);
  const told = fields.length > 0 ? `${what} (${fields.join(", ")})` : what;
  return name ? `${name}: ${told}` : told;
}

/** What happens on a board with thrown sticks and pieces that go from spot to spot; null for anything else. */
function onBoard(catalogue: Catalogue, people: People, event: GameEvent, name: string): string | null {
  const { text } = catalogue;
  const { from, to, node, count, done, rank, throws, victim_side } = event;
  const result = typeof event.result === "string" ? term(catalogue, event.result) : "";
  if (event.type === "discarded") {
    if (!Array.isArray(throws)) return null;
    return text.ev_discarded({ throws: throws.map((one) => term(catalogue, String(one))).join(", ") });
  }
  if (!name) return null;
  switch (event.type) {
    case "thrown":
      return result && text.ev_thrown({ name, result });
    case "nak":
      return text.ev_nak({ name });
    case "moved":
      if (!result || typeof count !== "number") return null;
      if (from === "home" && typeof to === "number") return text.ev_entered({ name, result, to });
      if (typeof from !== "number") return null;
      if (to === "goal") return text.ev_moved_out({ name, result, from, n: count });
      return typeof to === "number" ? text.ev_moved({ name, result, from, to, n: count }) : null;
    case "stacked":
      return typeof node === "number" && typeof count === "number" ? text.ev_stacked({ name, node, n: count }) : null;
    case "captured": {
      if (typeof victim_side !== "number" || typeof node !== "number" || typeof count !== "number") return null;
      const told = text.ev_captured({ name, victim: sideShort(catalogue, people, victim_side), node, n: count });
      return event.bonus === true ? `${told} ${text.ev_once_more}` : told;
    }
    case "finished_pieces":
      return typeof done === "number" ? text.ev_finished_pieces({ name, n: done }) : null;
    case "side_finished":
      return typeof rank === "number" ? text.ev_side_finished({ name, rank }) : null;
    default:
      return null;
  }
}

/** Any value in one line. */
export function plain(catalogue: Catalogue, people: People, field: string, value: Json): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return catalogue.text.none;
    if (value.every((item) => typeof item === "boolean")) return positions(catalogue, value);
    return value.map((item) => plain(catalogue, people, field, item)).join(" ");
  }
  if (isObject(value)) {
    return Object.entries(value)
      .map(([key, item]) => `${term(catalogue, key)} ${plain(catalogue, people, key, item)}`)
      .join(", ");
  }
  if (typeof value === "number" && isSeatField(field)) return seatName(catalogue, people, value);
  if (typeof value === "number" && /^(.*_)?side$/.test(field)) return sideName(catalogue, people, value);
  if (typeof value === "string" && Object.hasOwn(people.names, value)) return playerName(catalogue, people, value);
  return scalarText(catalogue, field, value);
}

/** Flags by their places: [true, false, true] -> "1 3". */
function positions(catalogue: Catalogue, flags: Json[]): string {
  const set = flags.flatMap((flag, i) => (flag === true ? [i + 1] : []));
  return set.length > 0 ? set.join(" ") : catalogue.text.none;
}
