// What a teammate could suggest to the player in turn. Legal actions are told to the player in turn alone, so they are put
// together from what everybody sees; a suggestion that is not legal is simply not shown on the other side.
import { allies } from "./teams";
import { isObject, type Action, type RoomView } from "./view";

/** May `player` suggest something now: a teammate is in turn. */
export function advises(view: RoomView, player: string): boolean {
  const seat = view.acting?.[0];
  return seat !== undefined && allies(view, seat).includes(player);
}

/** Moves of the side in turn, for tables that show throws to use (`pending`) and stacks on a `board`. */
export function advisable(view: RoomView): Action[] {
  const { table } = view;
  if (!isObject(table) || !Array.isArray(table.pending) || !isObject(table.board) || !isObject(table.sides)) return [];
  if (typeof table.side !== "number") return [];
  const side = table.sides[String(table.side)];
  const throws = table.pending
    .map((name, index) => ({ name, index }))
    .filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index);
  const onBoard = Object.entries(table.board)
    .filter(([, spot]) => isObject(spot) && spot.side === table.side)
    .map(([node]) => Number(node));
  const home = isObject(side) && typeof side.home === "number" && side.home > 0;
  return throws.flatMap(({ name, index }) => {
    // Going back needs a piece that has gone forward.
    const starts: (number | string)[] = home && name !== "backdo" ? [...onBoard, "home"] : onBoard;
    return starts.map((from) => ({ type: "move", throw_index: index, from }));
  });
}
