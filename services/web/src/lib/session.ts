// The client session: one tab, with its own count of asks. The pair (session, id) is what makes resending safe, so an id
// must never be used for two different asks: the counter is stored before the ask is sent, and survives a reload.
//
// "Duplicate tab" copies sessionStorage. Two tabs with one session would give one id to two asks, and the second would
// silently get the first one's outcome. So a tab asks the others over a BroadcastChannel whether its session is in use.
import { toHex } from "./sha256";
import type { Store } from "./storage";

const KEY = "noripan.session";
const CLAIM_MS = 80; // other tabs of this browser answer within a few ms; a missed answer is as if they were not there

export interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

export class Session {
  private constructor(
    readonly id: string,
    private last: number,
    private readonly tab: Store,
  ) {}

  /** The tab's own session, or a new one when there is none or another tab holds it. */
  static async open(tab: Store, channel: Channel | null, wait_ms = CLAIM_MS): Promise<Session> {
    const stored = /^([0-9A-Za-z_-]{4,24}):(\d{1,15})$/.exec(tab.get(KEY) ?? "");
    let session = stored ? new Session(stored[1]!, Number(stored[2]), tab) : Session.fresh(tab);
    if (!channel) return session;

    const me = newSessionId(); // tells two tabs with the same session apart while they both ask
    if (stored && (await taken(channel, session.id, me, wait_ms))) session = Session.fresh(tab);
    channel.onmessage = ({ data }) => {
      if (data?.ask === session.id && data.from !== me) channel.postMessage({ held: session.id });
    };
    return session;
  }

  private static fresh(tab: Store): Session {
    const session = new Session(newSessionId(), 0, tab);
    session.save();
    return session;
  }

  /** The id of the next ask; stored before it is handed out. */
  next(): number {
    this.last += 1;
    this.save();
    return this.last;
  }

  private save(): void {
    this.tab.set(KEY, `${this.id}:${this.last}`);
  }
}

function taken(channel: Channel, id: string, me: string, wait_ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), wait_ms);
    channel.onmessage = ({ data }) => {
      // Of two tabs that ask at once (a restored browser window), the one with the smaller name keeps the session. It says
      // so, because the other may have begun to listen only after we asked.
      const rival = data?.ask === id && data.from !== me;
      if (rival && data.from > me) return channel.postMessage({ held: id });
      if (data?.held !== id && !rival) return;
      clearTimeout(timer);
      resolve(true);
    };
    channel.postMessage({ ask: id, from: me });
  });
}

function newSessionId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(9)));
}
