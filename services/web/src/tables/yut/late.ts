// The room as it was a moment ago, for the parts that must not know what the sticks will show. Asking still asks the room.
import type { RoomState } from "../../lib/state";
import type { TableRoom } from "../table";

export function late(room: TableRoom, state: () => RoomState | null): TableRoom {
  return new Proxy(room, {
    get(target, key) {
      const old = state();
      if (old && key === "state") return old;
      if (old && key === "view") return old.view;
      if (old && key === "myTurn") return target.seat !== null && !!old.view?.acting?.includes(target.seat);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
