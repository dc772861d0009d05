// The room as the page sees it: connects state (pure) and socket to the components, and does what must happen by itself:
// ask for legal actions, open the nonce, keep receipts.
import { api, ApiError } from "./api";
import { Backoff } from "./backoff";
import { ServerClock } from "./clock";
import { Nonces } from "./nonce";
import { Session } from "./session";
import { Connection, type Ask, type Link, type Outcome, type SocketLike } from "./socket";
import { EMPTY, freshLegal, gameNumber, step, type Receipt, type RoomState } from "./state";
import { deviceStore, tabStore } from "./storage";
import { seatOf, type Action, type JsonObject } from "./view";
import type { GameInfo, ServerMessage, Settings } from "./wire";

const LEGAL_AGAIN_MS = 2500;
const RECEIPTS_MAX = 1000;
const NOTICES_MAX = 3;

export interface Notice {
  key: number;
  code: string;
  said: string;
  field: string;
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

  view = $derived(this.state.view);
  seat = $derived(this.view ? seatOf(this.view, this.state.player) : null);
  myTurn = $derived(this.view?.phase === "playing" && this.seat !== null && !!this.view.acting?.includes(this.seat));
  legal = $derived(freshLegal(this.state));
  info = $derived(this.games.find((game) => game.name === this.view?.game) ?? null);
  isHost = $derived(this.view !== null && this.view.host === this.state.player);

  readonly clock = new ServerClock();
  receipts: Receipt[] = [];
  private readonly nonces = new Nonces([tabStore, deviceStore]);
  private nonceTried = { game: "", index: -1 };
  private nonceBusy = false;
  private connection: Connection | null = null;
  private readonly settled = new Map<number, (outcome: Outcome) => void>();
  private legalTimer: ReturnType<typeof setTimeout> | undefined;
  private noticeCount = 0;
  private left = false;

  constructor(readonly code: string) {}

  async enter(): Promise<void> {
    void api.games().then((games) => (this.games = games), () => undefined); // without it the table is only plainer
    const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("noripan");
    const [session] = await Promise.all([Session.open(tabStore, channel), api.me().catch(() => undefined)]);
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
      renew: async () => void (await api.me()),
    });
    this.connection.start();
    document.addEventListener("visibilitychange", this.wake);
    addEventListener("online", this.wake);
    addEventListener("pageshow", this.wake);
  }

  leave(): void {
    this.left = true;
    clearTimeout(this.legalTimer);
    this.connection?.stop();
    document.removeEventListener("visibilitychange", this.wake);
    removeEventListener("online", this.wake);
    removeEventListener("pageshow", this.wake);
  }

  private wake = (): void => {
    if (document.visibilityState === "visible") this.connection?.wake();
  };

  // What people do

  act(action: Action): Promise<Outcome> {
    const seat = this.seat ?? 0;
    const turn = this.myTurn && this.view?.turn !== undefined ? { turn: this.view.turn } : {};
    return this.ask({ type: "act", seat, action, ...turn });
  }

  sit(name: string, seat?: number): Promise<Outcome> {
    const nonce_hash = this.nonces.promise(this.state.game);
    return this.ask({ type: "join", name, nonce_hash, ...(seat === undefined ? {} : { seat }) });
  }

  stand(): Promise<Outcome> {
    return this.ask({ type: "leave" });
  }

  configure(options: JsonObject, settings: Settings): Promise<Outcome> {
    return this.ask({ type: "configure", options, settings });
  }

  start(): Promise<Outcome> {
    return this.ask({ type: "start" });
  }

  more(): void {
    this.wantsMore = true;
    this.askLegal();
  }

  /** Leave the result of the game before and look at the room as it is now. */
  moveOn(): void {
    this.state = { ...this.state, previous: null };
  }

  /** Server time for clocks on the page; null while unknown. Notices when the device slept or its clock was set. */
  now(): number | null {
    if (this.clock.jumped()) this.connection?.wake();
    return this.clock.now();
  }

  /** Nonces that this device gave for a game. */
  ownNonces(game: string): string[] {
    return this.nonces.candidates(game);
  }

  tell(code: string, said = "", field = ""): void {
    this.noticeCount += 1;
    this.notices = [...this.notices, { key: this.noticeCount, code, said, field }].slice(-NOTICES_MAX);
  }

  dismiss(key: number): void {
    this.notices = this.notices.filter((notice) => notice.key !== key);
  }

  // What the server says

  private receive(message: ServerMessage): void {
    const { state, moved, gap } = step(this.state, message);
    this.state = state;
    if (gap) this.connection?.resync();
    if (message.type === "update" || message.type === "snapshot") this.keepReceipt();
    if (moved) {
      this.askLegal();
      this.openNonce();
    }
    // Refusals of asks come through `decided`; this is everything else.
    if (message.type === "reject" && (message.id === undefined || !this.settled.has(message.id))) {
      this.tell(message.code, message.text);
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
      this.nonceBusy = false;
      if (code === "bad_nonce") this.openNonce();
      return; // the game goes on with zeros for a nonce that could not be opened; nobody could do anything about it
    }
    this.tell(code, text, code === "bad_options" ? detail?.field : "");
    this.askLegal();
  }

  private askLegal(): void {
    clearTimeout(this.legalTimer);
    if (!this.myTurn && !(this.wantsMore && this.view?.phase === "playing")) return;
    if (this.seat === null) return;
    this.connection?.legal(this.seat);
    this.legalTimer = setTimeout(() => this.legal === null && this.askLegal(), LEGAL_AGAIN_MS);
  }

  private openNonce(): void {
    if (this.view?.phase !== "opening" || this.seat === null || !this.view.acting?.includes(this.seat)) return;
    const { game } = this.state;
    const again = this.nonceTried.game === game;
    if (again && this.nonceBusy) return;
    const index = again ? this.nonceTried.index + 1 : 0;
    const nonce = this.nonces.candidates(game)[index];
    if (nonce === undefined) return;
    this.nonceTried = { game, index };
    this.nonceBusy = true;
    void this.ask({ type: "nonce", nonce });
  }

  private keepReceipt(): void {
    const { game, version, entry, head } = this.state;
    if (!head || this.receipts.at(-1)?.entry === entry) return;
    this.receipts = [...this.receipts, { game, version, entry, head }].slice(-RECEIPTS_MAX);
    deviceStore.set("noripan.receipt", JSON.stringify(this.receipts.at(-1)));
  }
}

export function apiCode(error: unknown): { code: string; said: string; field: string } {
  if (error instanceof ApiError) return { code: error.code, said: error.message, field: error.detail?.field ?? "" };
  return { code: "internal", said: String(error), field: "" };
}
