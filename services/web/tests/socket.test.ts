// Goal: every ask has exactly one outcome, over any number of sockets. Method: sockets by hand, fake timers.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Backoff } from "../src/lib/backoff";
import { ServerClock } from "../src/lib/clock";
import { Connection, type Link, type Outcome, type SocketLike } from "../src/lib/socket";
import type { ClientMessage, ServerMessage } from "../src/lib/wire";

class FakeSocket implements SocketLike {
  readyState = 0;
  sent: ClientMessage[] = [];
  closedWith: number | undefined;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(text: string) {
    this.sent.push(JSON.parse(text) as ClientMessage);
  }
  close(code?: number) {
    this.readyState = 3;
    this.closedWith = code;
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  say(message: ServerMessage) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  die(code = 1006) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
  of(type: ClientMessage["type"]) {
    return this.sent.filter((message) => message.type === type);
  }
}

function rig(random = () => 0.5) {
  const sockets: FakeSocket[] = [];
  const links: (Link | string)[] = [];
  const outcomes: [number, Outcome["kind"]][] = [];
  const heard: string[] = [];
  let position: { game: number; version: number } | null = null;
  let id = 0;
  const tokens: string[] = [];
  const renew = vi.fn(async () => undefined);
  const connection = new Connection("K7Q2MX", {
    open: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    session: { id: "sess", next: () => ++id },
    clock: new ServerClock(() => Date.now()),
    backoff: new Backoff(random),
    position: () => position,
    message: (message) => {
      heard.push(message.type);
      if (message.type === "snapshot" || message.type === "update") position = { game: 1, version: message.version };
    },
    link: (link, code) => links.push(code ?? link),
    outcome: (_, number, outcome) => outcomes.push([number, outcome.kind]),
    renew,
    tokens: () => tokens,
  });
  const socket = () => sockets.at(-1)!;
  const greet = (version = 1, entry = "1-0") => {
    socket().open();
    socket().say({ type: "welcome", room: "K7Q2MX", player: "p", session: "sess", seats: [], names: {}, now_ms: 1 });
    socket().say({ type: "snapshot", game: "K7Q2MX/1", version, view: {}, entry });
  };
  connection.start();
  return { tokens, connection, sockets, socket, links, outcomes, heard, greet, renew };
}

const roll = { type: "act", seat: 0, action: { type: "roll" } } as const;
const update = (entry: string, done: [string, number][]): ServerMessage => ({
  type: "update",
  game: "K7Q2MX/1",
  from: 1,
  version: 2,
  entry,
  head: "",
  events: [],
  patch: {},
  done,
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("hello", () => {
  it("comes first and carries no position before there is one", () => {
    const { socket, greet, links } = rig();
    greet();
    expect(socket().sent[0]).toEqual({ type: "hello", room: "K7Q2MX", session: "sess" });
    expect(links).toEqual(["connecting", "online"]);
  });

  it("resumes with the position after a loss", () => {
    const { socket, greet, sockets } = rig();
    greet(7);
    socket().die();
    vi.advanceTimersByTime(2000);
    expect(sockets).toHaveLength(2);
    socket().open();
    expect(socket().sent[0]).toMatchObject({ type: "hello", game: 1, version: 7 });
  });

  it("is said again on a gap, one at a time and not in a hot loop", () => {
    const { connection, socket, greet } = rig();
    greet();
    vi.advanceTimersByTime(1000);
    connection.resync();
    connection.resync();
    expect(socket().of("hello")).toHaveLength(2);
    socket().say({ type: "snapshot", game: "K7Q2MX/1", version: 2, view: {} });
    connection.resync();
    expect(socket().of("hello")).toHaveLength(2);
    vi.advanceTimersByTime(400);
    expect(socket().of("hello")).toHaveLength(3);
  });

  it("that is never answered costs the socket, not the game", () => {
    const { socket, sockets } = rig();
    socket().open();
    vi.advanceTimersByTime(6000);
    expect(sockets[0]!.closedWith).toBe(4000);
    vi.advanceTimersByTime(2000);
    expect(sockets).toHaveLength(2);
  });
});

describe("several people on one device", () => {
  it("come again with their tokens, and what was asked goes on under its id", () => {
    const { connection, socket, greet, sockets, tokens } = rig();
    greet();
    const id = connection.ask({ type: "ready", ready: true });
    tokens.push("t2");
    connection.restart();
    expect([sockets.length, sockets[0]!.closedWith]).toEqual([2, 1000]);
    greet();
    expect(socket().sent[0]).toMatchObject({ type: "hello", tokens: ["t2"] });
    expect(socket().of("ready")).toEqual([{ type: "ready", ready: true, id }]);
    sockets[0]!.die(); // the old one's end is no news
    vi.advanceTimersByTime(2000);
    expect(sockets).toHaveLength(2);
  });
});

describe("words", () => {
  it("are said once or not at all", () => {
    const { connection, socket, greet } = rig();
    expect(connection.say({ type: "say", kind: "emote", body: "wow" })).toBe(false);
    greet();
    expect(connection.say({ type: "say", kind: "emote", body: "wow" })).toBe(true);
    vi.advanceTimersByTime(4500);
    expect(socket().of("say")).toHaveLength(1);
  });
});

describe("asks", () => {
  it("sent into a hole are sent again under the same id on the next socket, and count once", () => {
    const { connection, socket, greet, outcomes, sockets } = rig();
    greet();
    const id = connection.ask(roll);
    expect(socket().of("act")).toEqual([{ ...roll, id }]);
    vi.advanceTimersByTime(15_000); // no pong: the half-open socket is given up
    expect(sockets.length).toBeGreaterThan(1);
    greet();
    expect(socket().of("act")).toEqual([{ ...roll, id }]);
    socket().say({ type: "ack", id, entry: "5-0" });
    socket().say(update("5-0", [["sess", id]]));
    socket().say(update("6-0", [["sess", id]]));
    expect(outcomes).toEqual([[id, "done"]]);
    expect(connection.waiting).toBe(0);
  });

  it("made while offline wait, and go out in their order", () => {
    const { connection, socket, greet } = rig();
    greet();
    socket().die();
    const ids = [connection.ask({ type: "start" }), connection.ask(roll)];
    vi.advanceTimersByTime(2000);
    greet();
    const sent = socket().sent.filter((message) => "id" in message);
    expect(sent.map((message) => (message as { id: number }).id)).toEqual(ids);
  });

  it("without an ack on a living socket are repeated under the same id", () => {
    const { connection, socket, greet } = rig();
    greet();
    const id = connection.ask(roll);
    vi.advanceTimersByTime(4100);
    expect(socket().of("act").map((message) => (message as { id: number }).id)).toEqual([id, id]);
    socket().say({ type: "ack", id, entry: "9-0" });
    vi.advanceTimersByTime(4900);
    expect(socket().of("act")).toHaveLength(2);
  });

  it("acked before an outage are settled by a snapshot that is past their entry", () => {
    const { connection, socket, greet, outcomes } = rig();
    greet(1, "1-0");
    const id = connection.ask(roll);
    socket().say({ type: "ack", id, entry: "500-0" });
    expect(outcomes).toEqual([]);
    socket().die();
    vi.advanceTimersByTime(2000);
    greet(2, "1000-0");
    expect(outcomes).toEqual([[id, "done"]]);
  });

  it("repeated after their outcome was missed are settled by the ack that says so", () => {
    const { connection, socket, greet, outcomes } = rig();
    greet();
    const id = connection.ask(roll);
    socket().say({ type: "ack", id, entry: "500-0", outcome: "ok" });
    expect(outcomes).toEqual([[id, "done"]]);
  });

  it("of another session in `done` are not ours", () => {
    const { connection, socket, greet, outcomes } = rig();
    greet();
    const id = connection.ask(roll);
    socket().say(update("5-0", [["other", id]]));
    expect(outcomes).toEqual([]);
  });

  it("refused are told once", () => {
    const { connection, socket, greet, outcomes } = rig();
    greet();
    const id = connection.ask(roll);
    socket().say({ type: "reject", id, code: "not_your_turn", text: "" });
    socket().say({ type: "reject", id, code: "not_your_turn", text: "" });
    expect(outcomes).toEqual([[id, "rejected"]]);
  });

  it("with an unknown outcome are asked for by the same id, a bounded number of times", () => {
    const { connection, socket, greet, outcomes } = rig();
    greet();
    const id = connection.ask(roll);
    for (let i = 0; i < 20 && outcomes.length === 0; i++) {
      socket().say({ type: "reject", id, code: "unavailable", text: "" });
      socket().say({ type: "pong", t: 0, now_ms: 1 });
      for (let t = 0; t < 13; t++) {
        vi.advanceTimersByTime(1000);
        socket().say({ type: "pong", t: 0, now_ms: 1 });
      }
    }
    expect(outcomes).toEqual([[id, "rejected"]]);
    expect(new Set(socket().of("act").map((message) => (message as { id: number }).id))).toEqual(new Set([id]));
  });
});

describe("closing", () => {
  it.each([
    [4404, "no_room"],
    [4403, "no_spectators"],
    [4402, "moved_device"],
  ])("%i is final", (close, code) => {
    const { socket, links, sockets } = rig();
    socket().open();
    socket().die(close);
    vi.advanceTimersByTime(60_000);
    expect(links.at(-1)).toBe(code);
    expect(sockets).toHaveLength(1);
  });

  it("4401 gets a new cookie first", async () => {
    const { socket, renew, sockets } = rig();
    socket().open();
    socket().die(4401);
    await vi.advanceTimersByTimeAsync(2000);
    expect(renew).toHaveBeenCalledExactlyOnceWith(true);
    expect(sockets).toHaveLength(2);
  });

  it("a handshake that keeps failing asks for a cookie too, and goes on trying", async () => {
    const { socket, renew, sockets } = rig();
    for (let i = 1; i <= 4; i++) {
      socket().die();
      for (let t = 0; t < 130 && sockets.length === i; t++) await vi.advanceTimersByTimeAsync(100);
    }
    expect(renew).toHaveBeenCalledTimes(2);
    expect(sockets.length).toBe(5);
  });

  it("stop is for good", () => {
    const { connection, socket, greet, sockets } = rig();
    greet();
    connection.stop();
    socket().die();
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });
});

describe("heartbeat", () => {
  it("notices a dead line within 15 s and leaves a living one alone", () => {
    const { socket, greet, sockets } = rig();
    greet();
    for (let i = 0; i < 5; i++) {
      const last = socket().of("ping").at(-1) as { t: number };
      socket().say({ type: "pong", t: last.t, now_ms: 1 });
      vi.advanceTimersByTime(10_000);
    }
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(5_100);
    expect(sockets[0]!.closedWith).toBe(4000);
  });

  it("is checked at once when the page comes back", () => {
    const { connection, socket, greet } = rig();
    greet();
    const before = socket().of("ping").length;
    connection.wake();
    expect(socket().of("ping")).toHaveLength(before + 1);
  });

  const drawn = () => {
    const random = vi.fn(() => 0.5);
    return { random, ...rig(random) };
  };

  it("of a page that came back has 1.2 s, and until then the page does not claim to be connected", () => {
    const { connection, socket, greet, links, sockets } = drawn();
    greet();
    connection.wake();
    expect(links.at(-1)).toBe("checking");
    connection.wake(); // visibilitychange and pageshow come together
    expect(socket().of("ping")).toHaveLength(2);
    const { t } = socket().of("ping").at(-1) as { t: number };
    socket().say({ type: "pong", t, now_ms: 1 });
    expect(links).toEqual(["connecting", "online", "checking", "online"]);
    vi.advanceTimersByTime(4_000);
    expect(sockets).toHaveLength(1);
  });

  it("that is not answered after a wake costs a new socket at once, without a back-off", () => {
    const { connection, socket, greet, links, sockets, random } = drawn();
    greet();
    connection.wake();
    vi.advanceTimersByTime(1_100);
    socket().say(update("5-0", [])); // was under way before the page slept: no sign of life
    vi.advanceTimersByTime(99);
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(sockets[0]!.closedWith).toBe(4000);
    vi.advanceTimersByTime(1);
    expect(sockets).toHaveLength(2);
    greet();
    expect(links).toEqual(["connecting", "online", "checking", "connecting", "online"]);
    expect(random).not.toHaveBeenCalled();
  });

  it.each([
    [1006, 0],
    [1013, 1],
    [1001, 1],
  ])("a line that ends with %i while it is checked draws %i back-offs", (code, draws) => {
    const { connection, socket, greet, random } = drawn();
    greet();
    connection.wake();
    socket().die(code);
    expect(random).toHaveBeenCalledTimes(draws);
  });

  it("only the first attempt after a wake is free", () => {
    const { connection, socket, greet, sockets, random } = drawn();
    greet();
    connection.wake();
    socket().die();
    vi.advanceTimersByTime(1);
    expect(sockets).toHaveLength(2);
    socket().die();
    expect(random).toHaveBeenCalledTimes(1);
  });

  it("a hello that was under way when the page slept is given 1.2 s as well", () => {
    const { connection, socket, sockets, random } = drawn();
    socket().open();
    connection.wake();
    vi.advanceTimersByTime(1_200);
    vi.advanceTimersByTime(1);
    expect(sockets).toHaveLength(2);
    expect(random).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5_900);
    expect(sockets).toHaveLength(2); // the next one has its full time
  });

  it("a page that comes back while waiting does not wait any longer", () => {
    const { connection, socket, greet, sockets } = rig();
    greet();
    socket().die(1013);
    connection.wake();
    vi.advanceTimersByTime(301);
    expect(sockets).toHaveLength(2);
  });
});
