// One room's connection. It keeps a socket open, says hello with the position at hand, and sees to it that every ask is
// answered: what was not acknowledged is sent again under the same id, on the same socket or the next. It knows nothing
// of views; the state (state.ts) says whether a message fits.
import type { Backoff } from "./backoff";
import type { ServerClock } from "./clock";
import { reached } from "./state";
import type { Ack, ClientMessage, Hello, Reject, Say, ServerMessage } from "./wire";

export interface SocketLike {
  readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

type WithId = Extract<ClientMessage, { id: number }>;
type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;
/** An ask that the server answers; its id is given here. */
export type Ask = WithoutId<WithId>;

/**
 * checking: the page came back to the front, and whether the line is still there is not known yet. "refused" is final: the
 * room does not exist, or we may not enter.
 */
export type Link = "connecting" | "online" | "checking" | "waiting" | "refused";
export type Outcome = { kind: "done" } | { kind: "rejected"; reject: Reject };

export interface Hooks {
  open(): SocketLike;
  session: { id: string; next(): number };
  clock: ServerClock;
  backoff: Backoff;
  /** Where we are; null before the first snapshot. */
  position(): { game: number; version: number } | null;
  message(message: ServerMessage): void;
  link(link: Link, code?: string): void;
  outcome(ask: Ask, id: number, outcome: Outcome): void;
  /** Get a (new) player cookie. `denied`: a token was not accepted, as opposed to a line that fails. */
  renew(denied: boolean): Promise<void>;
  /** Tokens of further people on this device. */
  tokens?(): string[];
}

interface Pending {
  ask: Ask;
  id: number;
  /** Entry id once acknowledged: in the log, its outcome still to come. */
  entry: string | null;
  tries: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const PING_MS = 10_000;
const PONG_MS = 5_000;
const WAKE_PONG_MS = 1_200; // of a page that just came back: whoever unlocks a phone wants to play, perhaps within seconds
const HELLO_MS = 6_000;
const HELLO_GAP_MS = 300; // a server that keeps answering with a position that does not fit must not be hammered
const ACK_MS = 4_000;
const TRIES_MAX = 8;

export class Connection {
  private socket: SocketLike | null = null;
  private ready = false; // welcome seen on this socket
  private heard = false; // this socket opened at all
  private turnedAway = 0;
  private stopped = false;
  private helloAt: number | null = null; // mark of the hello that is not answered yet
  private helloLast = Number.NEGATIVE_INFINITY;
  private entrySeen = "";
  private checking: number | null = null; // the ping that a page which came back waits for
  private woken = false; // the next loss is that of a line which died while the page slept: nobody else comes back with us
  private readonly pending = new Map<number, Pending>();
  private readonly pings = new Map<number, number>();
  private pingCount = 0;
  private timers: Partial<Record<"retry" | "ping" | "pong" | "hello" | "again", ReturnType<typeof setTimeout>>> = {};

  constructor(
    private readonly room: string,
    private readonly hooks: Hooks,
  ) {}

  start(): void {
    if (this.stopped || this.socket) return;
    this.hooks.link("connecting");
    this.heard = false;
    const socket = this.hooks.open();
    this.socket = socket;
    socket.onopen = () => {
      this.heard = true;
      this.hello();
    };
    socket.onmessage = ({ data }) => this.socket === socket && this.receive(data);
    socket.onclose = ({ code }) => this.socket === socket && this.closed(code);
    this.set("hello", HELLO_MS, () => this.drop());
  }

  /** For good: the page leaves the room. */
  stop(): void {
    this.stopped = true;
    this.clear();
    for (const pending of this.pending.values()) clearTimeout(pending.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close(1000);
  }

  /** The page came back to the front, or the network did: do not wait for timers that the browser may have slowed down. */
  wake(): void {
    if (this.stopped || this.checking !== null) return;
    this.hooks.clock.distrust();
    if (!this.socket) return this.retryIn(0);
    this.woken = true;
    if (!this.ready) return this.set("hello", WAKE_PONG_MS, () => this.drop());
    this.checking = this.ping(WAKE_PONG_MS);
    this.hooks.link("checking");
  }

  /** Say hello again, because an update did not fit. */
  resync(): void {
    if (!this.ready || this.helloAt !== null) return;
    const wait = this.helloLast + HELLO_GAP_MS - this.hooks.clock.mark();
    if (wait <= 0) this.hello();
    else this.set("again", wait, () => this.helloAt === null && this.hello());
  }

  /** Ask for something that takes effect. Returns its id; the outcome comes through the hook, exactly once. */
  ask(ask: Ask): number {
    const id = this.hooks.session.next();
    const pending: Pending = { ask, id, entry: null, tries: 0, timer: undefined };
    this.pending.set(id, pending);
    if (this.ready) this.transmit(pending);
    return id;
  }

  /** Ask which actions a seat may take. Lost without harm: every new view asks again. */
  legal(seat: number): void {
    if (this.ready) this.send({ type: "legal", seat });
  }

  /** Say something; false when there is nobody to hear it. Never repeated: a word that comes late is out of place. */
  say(say: Say): boolean {
    if (this.ready) this.send(say);
    return this.ready;
  }

  /** Come again as whom we are now: the people of this device have changed. */
  restart(): void {
    if (this.stopped) return;
    const socket = this.socket;
    this.socket = null;
    this.ready = false;
    this.helloAt = this.checking = null;
    this.clear();
    socket?.close(1000);
    this.start();
  }

  get waiting(): number {
    return this.pending.size;
  }

  private hello(): void {
    const position = this.hooks.position();
    const hello: Hello = { type: "hello", room: this.room, session: this.hooks.session.id };
    if (position) Object.assign(hello, position);
    const tokens = this.hooks.tokens?.() ?? [];
    if (tokens.length > 0) hello.tokens = tokens as unknown as NonNullable<Hello["tokens"]>;
    this.helloAt = this.helloLast = this.hooks.clock.mark();
    this.send(hello);
    this.set("hello", HELLO_MS, () => this.drop());
  }

  private receive(data: unknown): void {
    let message: ServerMessage;
    try {
      message = JSON.parse(String(data)) as ServerMessage;
    } catch {
      return this.drop(); // not our protocol: whatever is at the other end, a fresh start is the only cure
    }
    // What was under way before the page slept may still arrive over a line that is dead by now.
    if (this.checking === null) clearTimeout(this.timers.pong);
    switch (message.type) {
      case "welcome":
        if (this.helloAt !== null) this.hooks.clock.sample(this.helloAt, message.now_ms);
        break;
      case "pong": {
        const mark = this.pings.get(message.t);
        this.pings.delete(message.t);
        if (mark !== undefined) this.hooks.clock.sample(mark, message.now_ms);
        if (message.t === this.checking) this.checked();
        break;
      }
    }
    this.hooks.message(message);
    switch (message.type) {
      case "snapshot":
        clearTimeout(this.timers.hello);
        this.helloAt = null;
        this.entry(message.entry ?? "");
        this.online();
        break;
      case "update":
        for (const [session, id] of message.done ?? []) {
          if (session === this.hooks.session.id) this.settle(id, { kind: "done" });
        }
        this.entry(message.entry);
        break;
      case "ack":
        this.acknowledged(message);
        break;
      case "reject":
        this.rejected(message);
        break;
    }
  }

  private online(): void {
    if (this.ready) return;
    this.ready = true;
    this.turnedAway = 0;
    this.woken = false;
    this.hooks.backoff.reset();
    this.hooks.link("online");
    // In the order in which they were asked: ids only grow.
    for (const pending of this.pending.values()) this.transmit(pending);
    this.ping();
  }

  /** The line is there. */
  private checked(): void {
    clearTimeout(this.timers.pong);
    this.checking = null;
    this.woken = false;
    this.hooks.link("online");
  }

  private transmit(pending: Pending): void {
    const { ask, id } = pending;
    pending.tries += 1;
    this.send({ ...ask, id } as WithId);
    clearTimeout(pending.timer);
    pending.timer = setTimeout(() => this.ready && pending.entry === null && this.transmit(pending), ACK_MS);
  }

  private acknowledged({ id, entry, outcome }: Ack): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    pending.entry = entry;
    clearTimeout(pending.timer);
    if (outcome === "ok" || (this.entrySeen && reached(this.entrySeen, entry))) this.settle(id, { kind: "done" });
  }

  private rejected(reject: Reject): void {
    const pending = reject.id === undefined ? undefined : this.pending.get(reject.id);
    if (!pending) {
      if (!this.ready && reject.code === "no_room") this.refuse("no_room");
      return;
    }
    // The outcome is unknown; asking by the same id is how to learn it.
    if (reject.code === "unavailable" && pending.tries < TRIES_MAX) {
      clearTimeout(pending.timer);
      const wait = 250 * 2 ** Math.min(pending.tries, 5) * (0.5 + Math.random());
      pending.timer = setTimeout(() => this.ready && this.transmit(pending), wait);
      return;
    }
    this.settle(pending.id, { kind: "rejected", reject });
  }

  /** Everything up to `entry` is decided: what we know to be in the log before it has had its outcome. */
  private entry(entry: string): void {
    if (!entry) return;
    this.entrySeen = entry;
    for (const pending of [...this.pending.values()]) {
      if (pending.entry !== null && reached(entry, pending.entry)) this.settle(pending.id, { kind: "done" });
    }
  }

  private settle(id: number, outcome: Outcome): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    clearTimeout(pending.timer);
    this.pending.delete(id);
    this.hooks.outcome(pending.ask, id, outcome);
  }

  private ping(answer_ms = PONG_MS): number {
    const t = ++this.pingCount;
    this.pings.clear(); // only the last one's answer is a sample; an older one would measure our own waiting
    this.pings.set(t, this.hooks.clock.mark());
    this.send({ type: "ping", t });
    this.set("pong", answer_ms, () => this.drop());
    this.set("ping", PING_MS, () => this.ping());
    return t;
  }

  private send(message: ClientMessage): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
  }

  /** Give this socket up; a half-open one would not tell us for minutes that it is closed. */
  private drop(): void {
    const socket = this.socket;
    if (!socket) return;
    this.closed(1006);
    socket.close(4000, "no answer");
  }

  private closed(code: number): void {
    const opened = this.heard;
    this.socket = null;
    this.ready = false;
    this.helloAt = null;
    this.checking = null;
    this.clear();
    for (const pending of this.pending.values()) clearTimeout(pending.timer);
    if (this.stopped) return;
    if (code === 4404) return this.refuse("no_room");
    if (code === 4403) return this.refuse("no_spectators");
    if (code === 4405) return this.refuse("locked");
    if (code === 4406) return this.refuse("kicked");
    if (code === 4402) return this.refuse("moved_device");
    if (code === 1013 || code === 1008) this.hooks.backoff.slower();

    const asleep = this.woken && code === 1006;
    this.woken = false;
    const wait = asleep ? 0 : this.hooks.backoff.next();
    // A handshake that fails for want of a cookie looks like any other failure: ask for one every second time.
    if (code === 4401 || !opened) {
      this.turnedAway += 1;
      if (code === 4401 && this.turnedAway > 3) return this.refuse("unauthorized");
      if (code === 4401 || this.turnedAway % 2 === 0) {
        this.hooks.link("waiting");
        void this.hooks.renew(code === 4401).catch(() => undefined).then(() => this.retryIn(wait));
        return;
      }
    }
    this.retryIn(wait);
  }

  private retryIn(ms: number): void {
    if (this.stopped || this.socket) return;
    if (ms > 0) this.hooks.link("waiting");
    this.set("retry", ms, () => this.start());
  }

  private refuse(code: string): void {
    this.hooks.link("refused", code);
    this.stop();
  }

  private set(name: keyof typeof this.timers, ms: number, run: () => void): void {
    clearTimeout(this.timers[name]);
    this.timers[name] = setTimeout(run, ms);
  }

  private clear(): void {
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
    this.timers = {};
  }
}
