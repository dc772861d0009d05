// The room as the page sees it: connects state (pure) and socket to the components, and does what must happen by itself:
// ask for legal actions, promise and open nonces, keep receipts.
//
// A device may have several people (family.ts). `hand` is the one at the controls: whoever of them has to act, else whom
// they chose; `seat` and `self` are theirs, so that everything drawn for one player works for several in turn.
import { Acts } from "./acts";
import { api, ApiError } from "./api";
import { Backoff } from "./backoff";
import { Chance } from "./chance";
import { ServerClock } from "./clock";
import { Family } from "./family";
import { Session } from "./session";
import { Connection, type Ask, type Link, type Outcome, type SocketLike } from "./socket";
import { refusalOf, type Refusal } from "./refusal";
import { itemsOf } from "./replay";
import { EMPTY, freshLegal, gameNumber, recalled, step, type Receipt, type RoomState } from "./state";
import { deviceStore, tabStore } from "./storage";
import { allies } from "./teams";
import { suggestions } from "./talk";
import { heldBy, isKick, seatOf, type Action, type Held, type JsonObject } from "./view";
import type { Detail, GameInfo, GameSteps, Say, ServerMessage, Settings } from "./wire";

const LEGAL_AGAIN_MS = 2500;
const RECEIPTS_MAX = 1000;
const NOTICES_MAX = 3;
const SAID_MS = 3000;
const GENTLE_MS = 4000;
const RECALLED_MAX = 100;

export interface Notice extends Refusal {
  key: number;
}

export class Room {
  state = $state.raw<RoomState>(EMPTY);
  link = $state<Link>("connecting");
  refused = $state<string | null>(null);
  /** Asks without an outcome yet. */
  busy = $state(0);
  notices = $state.raw<Notice[]>([]);
  games = $state.raw<GameInfo[]>([]);
  /** The player opened the list of actions out of turn. */
  wantsMore = $state(false);
  /** Looking back at the result of the game before. */
  lookingBack = $state(false);
  /** A line that was refused for coming too fast, to be offered again. */
  unsaid = $state("");

  view = $derived(this.state.view);
  /** The people of this device, the first is the cookie's. */
  mine = $derived([this.state.player, ...this.state.others]);
  held = $derived<Held[]>(this.view ? heldBy(this.view, this.mine) : []);
  private chosen = $state("");
  private lastActor = $state("");
  hand = $derived.by<Held | null>(() => {
    const { acting, phase } = this.view ?? {};
    const now = phase === "playing" ? this.held.find((one) => acting?.includes(one.seat)) : undefined;
    return now ?? this.held.find((one) => one.player === this.chosen) ?? this.held[0] ?? null;
  });
  seat = $derived(this.hand?.seat ?? null);
  self = $derived(this.hand?.player ?? this.state.player);
  myTurn = $derived(this.view?.phase === "playing" && this.seat !== null && !!this.view.acting?.includes(this.seat));
  /** The person of this device who has to act now, when the last to act here was somebody else. */
  handOver = $derived(this.myTurn && this.held.length > 1 && this.lastActor !== this.self ? this.self : null);
  legal = $derived(this.state.legal?.seat === this.seat ? freshLegal(this.state) : null);
  info = $derived(this.games.find((game) => game.name === this.view?.game) ?? null);
  isHost = $derived(this.view !== null && this.mine.includes(this.view.host));
  /** How late we see the game, as somebody without a seat. A lobby hides nothing and is seen as it is. */
  behind_ms = $derived(
    this.view && this.held.length === 0 && this.view.phase !== "lobby" ? 1000 * (this.view.settings?.delay_s ?? 0) : 0,
  );
  /** People who watch: here, but without a seat. */
  watching = $derived.by(() => {
    const seated = Object.values(this.view?.seats ?? {}).filter((one) => one.connected).length;
    return Math.max(0, this.state.people - seated);
  });
  /** What teammates suggest to the seat in turn, as far as it concerns somebody on this device. */
  suggested = $derived.by(() => {
    const { view } = this;
    const seat = view?.acting?.[0];
    if (!view || seat === undefined || !this.held.length) return [];
    const team = [...allies(view, seat), view.seats[String(seat)]?.player ?? ""];
    return this.held.some((one) => team.includes(one.player)) ? suggestions(this.state.said, view.turn, team) : [];
  });

  readonly clock = new ServerClock();
  readonly family = new Family(deviceStore);
  receipts: Receipt[] = [];
  private readonly chance = new Chance([tabStore, deviceStore]);
  private strangers = false; // a token of the family is not accepted: go on without them
  private connection: Connection | null = null;
  private readonly acts = new Acts(() => ({ game: this.state.game, version: this.state.version }));
  private readonly settled = new Map<number, (outcome: Outcome) => void>();
  private legalTimer: ReturnType<typeof setTimeout> | undefined;
  private noticeCount = 0;
  private lastSaid = { body: "", at: Number.NEGATIVE_INFINITY };
  private left = false;
  private recalling = "";

  constructor(readonly code: string) {}

  async enter(): Promise<void> {
    void api.games().then((games) => (this.games = games), () => undefined); // without it the table is only plainer
    const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("noripan");
    const [session, me] = await Promise.all([Session.open(tabStore, channel), api.me().catch(() => undefined)]);
    if (this.left) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.connection = new Connection(this.code, {
      open: () => new WebSocket(`${scheme}://${location.host}/ws`) as SocketLike,
      session,
      clock: this.clock,
      backoff: new Backoff(),
      position: () => (this.state.view ? { game: gameNumber(this.state.game), version: this.state.version } : null),
      message: (message) => this.receive(message),
      link: (link, code) => {
        this.link = link;
        if (link === "refused") this.refused = code ?? "no_room";
        if (link === "online") this.askLegal();
      },
      outcome: (ask, id, outcome) => this.decided(ask, id, outcome),
      renew: async (denied) => {
        this.strangers ||= denied;
        await api.me();
      },
      tokens: () => (this.strangers ? [] : this.family.tokens(this.state.player || (me?.player ?? ""))),
    });
    this.connection.start();
    document.addEventListener("visibilitychange", this.wake);
    document.addEventListener("resume", this.wake); // a page that was frozen
    addEventListener("online", this.wake);
    addEventListener("pageshow", this.wake);
  }

  leave(): void {
    this.left = true;
    clearTimeout(this.legalTimer);
    this.connection?.stop();
    document.removeEventListener("visibilitychange", this.wake);
    document.removeEventListener("resume", this.wake);
    removeEventListener("online", this.wake);
    removeEventListener("pageshow", this.wake);
  }

  private wake = (): void => {
    if (document.visibilityState === "visible") this.connection?.wake();
  };

  // What people do

  /**
   * Says what it was decided on: the version that was on the screen. What was asked a moment before and is not answered yet
   * (a second die is held before the first is confirmed) is part of what its player sees, so that is waited for.
   */
  act(action: Action): Promise<Outcome> {
    const seat = this.seat ?? 0;
    const turn = this.myTurn && this.view?.turn !== undefined ? { turn: this.view.turn } : {};
    this.lastActor = this.self;
    return this.acts.add((after) => this.ask({ type: "act", seat, action, ...turn, after }));
  }

  sit(name: string, seat?: number, player = this.state.player): Promise<Outcome> {
    const nonce_hash = this.chance.promise(this.state.game, this.nameless(player));
    if (player !== this.state.player) this.family.rename(player, name);
    return this.ask({ type: "join", name, nonce_hash, ...(seat === undefined ? {} : { seat }), ...this.as(player) });
  }

  stand(): Promise<Outcome> {
    return this.ask({ type: "leave", ...this.as(this.self) });
  }

  configure(options: JsonObject, settings: Settings): Promise<Outcome> {
    return this.ask({ type: "configure", options, settings, ...this.asHost() });
  }

  start(): Promise<Outcome> {
    return this.ask({ type: "start", ...this.asHost() });
  }

  /** Anyone seated may, by taking their readiness back; a host without a seat, by a change of the rules that changes nothing. */
  async stopStart(): Promise<void> {
    const hand = this.hand;
    if (!hand) return void (await this.ask({ type: "configure", ...this.asHost() }));
    if (!this.view?.seats[String(hand.seat)]?.ready) void this.ready(true, hand.player);
    await this.ready(false, hand.player);
  }

  ready(ready: boolean, player: string): Promise<Outcome> {
    return this.ask({ type: "ready", ready, ...this.as(player) });
  }

  move(seat: number): Promise<Outcome> {
    return this.ask({ type: "move", seat, ...this.as(this.self) });
  }

  swap(seat: number, other: number): Promise<Outcome> {
    return this.ask({ type: "swap", seat, other, ...this.asHost() });
  }

  kick(seat: number): Promise<Outcome> {
    return this.ask({ type: "kick", seat, ...this.asHost() });
  }

  /** What the host does about people. */
  manage(ask: Extract<Ask, { type: "lock" | "expel" | "silence" }>): Promise<Outcome> {
    return this.ask({ ...ask, ...this.asHost() });
  }

  makeHost(seat: number): Promise<Outcome> {
    return this.ask({ type: "transfer", seat, ...this.asHost() });
  }

  touch(): Promise<Outcome> {
    return this.ask({ type: "touch", ...(this.hand ? this.as(this.hand.player) : this.asHost()) });
  }

  rematch(want: boolean, player: string): Promise<Outcome> {
    return this.ask({ type: "rematch", want, ...this.as(player) });
  }

  say(kind: Say["kind"], body: string): void {
    this.lastSaid = { body: kind === "chat" ? body : "", at: performance.now() };
    if (!this.connection?.say({ type: "say", kind, body, ...this.as(this.self) })) this.tell("offline");
  }

  /** Who of this device is at the controls where the game does not say. */
  choose(player: string): void {
    this.chosen = player;
  }

  /** Make another person for this device, unless there is one without a seat already. False: it did not work. */
  async addPerson(): Promise<boolean> {
    if (this.state.others.some((player) => this.view && seatOf(this.view, player) === null)) return true;
    try {
      const { player, token = "" } = await api.newPerson();
      if (this.mine.includes(player)) throw new ApiError("unavailable", "");
      this.family.add(player, token);
      this.strangers = false;
      this.connection?.restart();
      return true;
    } catch (problem) {
      const { code, said, detail } = refusalOf(problem);
      this.tell(code, said, detail);
      return false;
    }
  }

  private as(player: string): { as?: string } {
    return player === this.state.player ? {} : { as: player };
  }

  private asHost(): { as?: string } {
    return this.isHost && this.view ? this.as(this.view.host) : {};
  }

  /** In stores the device's first person has no name. */
  private nameless(player: string): string {
    return player === this.state.player ? "" : player;
  }

  more(): void {
    this.wantsMore = true;
    this.askLegal();
  }

  /**
   * Server time for clocks on the page, as late as the view is; null while unknown. Notices when the device slept or its
   * clock was set.
   */
  now(): number | null {
    if (this.clock.jumped()) this.connection?.wake();
    const now = this.clock.now();
    return now === null ? null : now - this.behind_ms;
  }

  /** Nonces that this device gave for its player in a game. */
  ownNonces(game: string, player: string): string[] {
    return this.chance.candidates(game, this.nameless(player));
  }

  /** Fill the log with what happened before this page came, as far as anybody would scroll. */
  recall(): void {
    const { game, logFrom } = this.state;
    const what = `${game}:${logFrom}`;
    if (logFrom === 0 || this.recalling === what) return;
    this.recalling = what;
    void this.steps(gameNumber(game), Math.max(0, logFrom - RECALLED_MAX)).then(
      (answer) => (this.state = recalled(this.state, answer.game, itemsOf(answer))),
      () => undefined, // the log is only shorter
    );
  }

  /** Steps of a game of this room, as somebody of this device may see them. */
  steps(n: number, from: number, player = this.self): Promise<GameSteps> {
    const other = player === this.state.player ? undefined : this.family.list().find((one) => one.player === player);
    return api.steps(this.code, n, from, other?.token ?? "");
  }

  tell(code: string, said = "", detail?: Detail): void {
    this.noticeCount += 1;
    const key = this.noticeCount;
    const others = this.notices.filter((one) => one.code !== code); // the same thing is not said twice at once
    this.notices = [...others, { key, code, said, detail }].slice(-NOTICES_MAX);
    if (code === "rate_limited") setTimeout(() => this.dismiss(key), GENTLE_MS);
  }

  dismiss(key: number): void {
    this.notices = this.notices.filter((notice) => notice.key !== key);
  }

  // What the server says

  private receive(message: ServerMessage): void {
    const { state, moved, gap } = step(this.state, message);
    if (state.game !== this.state.game) this.lookingBack = false;
    this.state = state;
    if (gap) this.connection?.resync();
    if (message.type === "update" || message.type === "snapshot") this.keepReceipt();
    if (message.type === "update" && message.events.some((event) => isKick(event, this.mine))) this.tell("kicked");
    if (moved) {
      this.askLegal();
      this.shareChance();
    }
    // Refusals of asks come through `decided`; this is everything else.
    if (message.type === "reject" && (message.id === undefined || !this.settled.has(message.id))) {
      this.tell(message.code, message.text, message.detail);
      // A refused word carries no id but says what it is about; it is the one of a moment ago.
      const about = message.detail?.field || "say";
      const fresh = performance.now() - this.lastSaid.at < SAID_MS;
      if (message.id === undefined && (about === "say" || about === "body") && fresh) this.unsaid = this.lastSaid.body;
    }
  }

  private ask(ask: Ask): Promise<Outcome> {
    return new Promise((resolve) => {
      if (!this.connection) return resolve({ kind: "rejected", reject: { type: "reject", code: "offline", text: "" } });
      this.busy += 1;
      this.settled.set(this.connection.ask(ask), resolve);
    });
  }

  private decided(ask: Ask, id: number, outcome: Outcome): void {
    this.settled.get(id)?.(outcome);
    if (this.settled.delete(id)) this.busy -= 1;
    if (outcome.kind === "done") {
      this.notices = []; // what was refused before is no longer what matters
      return;
    }
    const { code, text, detail } = outcome.reject;
    if (ask.type === "nonce") {
      this.chance.refused(ask.as ?? "");
      if (code === "bad_nonce") this.shareChance();
      return; // the game goes on with zeros for a nonce that could not be opened; nobody could do anything about it
    }
    if (ask.type === "promise") return; // the same: a game without our share of chance is still a game
    this.tell(code, text, detail);
    this.askLegal();
  }

  private askLegal(): void {
    clearTimeout(this.legalTimer);
    if (!this.myTurn && !(this.wantsMore && this.view?.phase === "playing")) return;
    if (this.seat === null) return;
    this.connection?.legal(this.seat);
    this.legalTimer = setTimeout(() => this.legal === null && this.askLegal(), LEGAL_AGAIN_MS);
  }

  /** Promise a nonce for every seat of this device that has none (after a rematch), and open those that are asked for. */
  private shareChance(): void {
    const { view, held } = this;
    const { game } = this.state;
    for (const { seat, player } of held) {
      const name = this.nameless(player);
      if (view?.phase === "lobby" && this.chance.candidates(game, name).length === 0) {
        void this.ask({ type: "promise", nonce_hash: this.chance.promise(game, name), ...this.as(player) });
      }
      const nonce = view?.phase === "opening" && view.acting?.includes(seat) ? this.chance.toOpen(game, name) : null;
      if (nonce !== null) void this.ask({ type: "nonce", nonce, ...this.as(player) });
    }
  }

  private keepReceipt(): void {
    const { game, version, entry, head } = this.state;
    if (!head || this.receipts.at(-1)?.entry === entry) return;
    this.receipts = [...this.receipts, { game, version, entry, head }].slice(-RECEIPTS_MAX);
    deviceStore.set("noripan.receipt", JSON.stringify(this.receipts.at(-1)));
  }
}
