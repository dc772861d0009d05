// Tables that somebody has drawn, by the game's name. A game without one is played on the generic table.
//
// A drawn table is a folder here with a component of its own, loaded when a room first plays that game, so that the first
// page does not grow with the games. Its words lie in its folder, too (one typed catalogue per language).
import type { Component } from "svelte";
import type { Room } from "../lib/room.svelte";
import type { JsonObject, RoomView } from "../lib/view";

/** What a table may know of and ask from the room it shows: a live one, or one that is replayed. */
export type TableRoom = Pick<
  Room,
  | "state"
  | "code"
  | "info"
  | "mine"
  | "held"
  | "seat"
  | "self"
  | "myTurn"
  | "legal"
  | "busy"
  | "wantsMore"
  | "suggested"
  | "act"
  | "more"
  | "say"
  | "now"
  | "view"
  | "hand"
  | "handOver"
  | "isHost"
  | "move"
  | "swap"
  | "kick"
  | "makeHost"
> & {
  /** Shown from a replay: nothing may be done, and nothing is waited for. */
  replay?: boolean;
  /** Fill the log with what happened before. */
  recall?: () => void;
};

export interface TableProps {
  room: TableRoom;
  view: RoomView;
}

type Load = () => Promise<{ default: Component<TableProps> }>;

type LoadHelp = () => Promise<{ default: Component<{ options: JsonObject; close: () => void }> }>;

/** The rules of a game in words and pictures, by its options. */
export const helps: Readonly<Record<string, LoadHelp>> = {
  yacht: () => import("./yacht/RulesHelp.svelte"),
  yut: () => import("./yut/Help.svelte"),
};

export const drawn: Readonly<Record<string, Load>> = {
  yacht: () => import("./yacht/Yacht.svelte"),
  yut: () => import("./yut/YutTable.svelte"),
};
