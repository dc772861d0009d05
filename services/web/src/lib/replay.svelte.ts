// A replay as the page sees it: where it stands, what it still has to ask for, and the room that its table is given. It has
// a store of its own (replay.ts). Of the live room it knows the names, and how far that has come; it changes nothing there.
import { firstTable, itemAt, linesTo, missing, NOTHING, PAGE, take, viewAt, type Known } from "./replay";
import { refusalOf } from "./refusal";
import type { Room } from "./room.svelte";
import type { Outcome } from "./socket";
import { EMPTY, type RoomState } from "./state";
import { heldBy } from "./view";
import type { GameSteps } from "./wire";
import type { TableRoom } from "../tables/table";

const STEP_MS = 1000;

export class Replay {
  private known = $state.raw<Known>(NOTHING);
  /** The event that is shown; 0 before there is one. */
  at = $state(0);
  playing = $state(false);
  loading = $state(false);
  problem = $state.raw<{ code: string; said: string } | null>(null);
  private seeks = 0;
  private asked: number | null = null;
  private readonly asking = new Map<number, Promise<void>>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private openedAt = $state<number | null>(null);

  readonly game: string;
  /** Through whose eyes, of the people of this device: all pages through the same. */
  readonly who: string;
  view = $derived(viewAt(this.known, this.at));
  /** What happened last; null when that is hidden. */
  item = $derived(itemAt(this.known, this.at));
  lines = $derived(linesTo(this.known, this.at));
  /** How far the room has come, when this is the game that it plays. */
  private live = $derived.by(() => (this.room.state.game === this.game ? this.room.state.version : 0));
  upto = $derived.by(() => Math.max(this.known.upto, this.live));
  running = $derived.by(() => this.live > 0 && this.room.view?.phase !== "over" && this.room.view?.phase !== "closed");
  /** What happened at the table since somebody began to look back. */
  fresh = $derived.by(() => (this.openedAt === null || !this.live ? 0 : Math.max(0, this.live - this.openedAt)));
  readonly table: TableRoom;

  constructor(
    readonly room: Room,
    readonly n: number,
  ) {
    this.game = `${room.code}/${n}`;
    this.who = room.self;
    this.table = new ReplayedRoom(this, room);
  }

  /** Show this event; null: the first at which there is a table. */
  open(version: number | null): void {
    this.openedAt ??= this.room.state.game === this.game ? this.room.state.version : null;
    void this.seek(version);
  }

  leave(): void {
    this.seeks += 1;
    this.pause();
  }

  go(version: number): void {
    this.pause();
    void this.seek(version);
  }

  again(): void {
    void this.seek(this.asked);
  }

  toggle(): void {
    if (this.playing) return this.pause();
    this.playing = true;
    if (this.at >= this.upto) void this.seek(1);
    this.timer = setInterval(() => this.tick(), STEP_MS);
  }

  private pause(): void {
    this.playing = false;
    clearInterval(this.timer);
  }

  private tick(): void {
    if (this.loading) return;
    if (this.at >= this.upto) this.pause();
    else void this.seek(this.at + 1);
  }

  /** The last one that was asked for wins. */
  private async seek(version: number | null): Promise<void> {
    const seek = (this.seeks += 1);
    this.asked = version;
    this.problem = null;
    const wanted = () => {
      if (version === null) return firstTable(this.known);
      return Math.max(1, this.upto ? Math.min(version, this.upto) : version);
    };
    try {
      for (let from = missing(this.known, wanted()); from !== null; ) {
        this.loading = true;
        await this.ask(from);
        if (seek !== this.seeks) return;
        const next = missing(this.known, wanted());
        if (next === from) break; // a late watcher's server may be a moment behind what the socket told
        from = next;
      }
      this.at = viewAt(this.known, wanted()) ? wanted() : this.known.upto;
      this.loading = false;
      // The log goes back to the page before.
      const earlier = Math.floor((this.at - 1) / PAGE) * PAGE;
      const from = earlier > 0 ? missing(this.known, earlier) : null;
      if (from !== null) await this.ask(from);
    } catch (problem) {
      if (seek !== this.seeks) return;
      this.loading = false;
      this.problem = refusalOf(problem);
      this.pause();
    }
  }

  /** Ask for a page, once at a time. */
  private ask(from: number): Promise<void> {
    const under = this.asking.get(from);
    if (under) return under;
    const asked = this.steps(from)
      .then((answer) => void (this.known = take(this.known, answer)))
      .finally(() => this.asking.delete(from));
    this.asking.set(from, asked);
    return asked;
  }

  private async steps(from: number): Promise<GameSteps> {
    try {
      return await this.room.steps(this.n, from, this.who);
    } catch (problem) {
      // A link to a moment that never was: show the last one.
      if (!from || this.known.upto || refusalOf(problem).code !== "bad_message") throw problem;
      return await this.room.steps(this.n, 0, this.who);
    }
  }
}

const REFUSED: Outcome = { kind: "rejected", reject: { type: "reject", code: "not_playing", text: "" } };

/** The room that a replayed table is shown: as it was, for whoever looks now, and nobody can do anything in it. */
class ReplayedRoom implements TableRoom {
  readonly replay = true;
  readonly legal = null;
  readonly busy = 0;
  readonly wantsMore = false;
  readonly suggested = [];
  readonly myTurn = false;
  readonly handOver = null;
  readonly isHost = false;
  readonly code: string;

  constructor(
    private readonly shown: Replay,
    private readonly room: Room,
  ) {
    this.code = room.code;
  }

  view = $derived.by(() => this.shown.view);
  mine = $derived.by(() => this.room.mine);
  info = $derived.by(() => this.room.games.find((game) => game.name === this.view?.game) ?? null);
  held = $derived.by(() => (this.view ? heldBy(this.view, this.mine) : []));
  hand = $derived.by(() => this.held.find((one) => one.player === this.shown.who) ?? this.held[0] ?? null);
  seat = $derived.by(() => this.hand?.seat ?? null);
  self = $derived.by(() => this.hand?.player ?? this.room.state.player);
  state = $derived.by<RoomState>(() => {
    const { player, others, names } = this.room.state;
    const { game, at: version, lines: log } = this.shown;
    return { ...EMPTY, player, others, names, game, version, view: this.view, log };
  });

  act = () => Promise.resolve(REFUSED);
  move = this.act;
  swap = this.act;
  kick = this.act;
  makeHost = this.act;
  more = () => undefined;
  say = () => undefined;
  /** No clock runs. */
  now = () => null;
}
