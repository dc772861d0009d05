// Goal: one id is never used for two asks, and nonces survive what a tab goes through. Method: stores and channels in memory.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Nonces } from "../src/lib/nonce";
import { Session, type Channel } from "../src/lib/session";
import { store, type Store } from "../src/lib/storage";

function memory(copy: Record<string, string> = {}): Store & { all: Record<string, string> } {
  const all = { ...copy };
  return { all, get: (key) => all[key] ?? null, set: (key, value) => void (all[key] = value) };
}

/** BroadcastChannel within one test: everyone but the sender hears. */
function air() {
  const channels: Channel[] = [];
  return (): Channel => {
    const channel: Channel = {
      onmessage: null,
      postMessage(data) {
        for (const other of channels) if (other !== channel) queueMicrotask(() => other.onmessage?.({ data } as MessageEvent));
      },
    };
    channels.push(channel);
    return channel;
  };
}

describe("Session", () => {
  it("keeps session and counter over a reload", async () => {
    const tab = memory();
    const first = await Session.open(tab, null);
    expect([first.next(), first.next()]).toEqual([1, 2]);
    const again = await Session.open(tab, null);
    expect(again.id).toBe(first.id);
    expect(again.next()).toBe(3);
  });

  it("stores an id before handing it out", async () => {
    const tab = memory();
    const session = await Session.open(tab, null);
    const id = session.next();
    expect(Object.values(tab.all)).toContain(`${session.id}:${id}`);
  });

  it("gives a duplicated tab a session of its own", async () => {
    const channel = air();
    const original = memory();
    const first = await Session.open(original, channel(), 20);
    first.next();
    const copy = memory(original.all);
    const second = await Session.open(copy, channel(), 20);
    expect(second.id).not.toBe(first.id);
    expect(second.next()).toBe(1);
    expect(first.next()).toBe(2);
  });

  it("lets exactly one of two tabs that wake up together keep the session", async () => {
    const channel = air();
    const stored = memory();
    const { id } = await Session.open(stored, null);
    const both = await Promise.all([
      Session.open(memory(stored.all), channel(), 20),
      Session.open(memory(stored.all), channel(), 20),
    ]);
    expect(both.filter((session) => session.id === id)).toHaveLength(1);
  });

  it("starts anew from damaged storage", async () => {
    const session = await Session.open(memory({ "noripan.session": "x:evil" }), null);
    expect(session.id).toMatch(/^[0-9a-f]{18}$/);
    expect(session.next()).toBe(1);
  });
});

describe("Nonces", () => {
  it("promises the hash of what it keeps, in every store, the latest first", () => {
    const [tab, device] = [memory(), memory()];
    const nonces = new Nonces([tab, device]);
    const hashes = [nonces.promise("K7Q2MX/1"), nonces.promise("K7Q2MX/1")];
    nonces.promise("K7Q2MX/2");
    const hash = (nonce: string) => createHash("sha256").update(Buffer.from(nonce, "hex")).digest("hex");
    expect(new Nonces([tab]).candidates("K7Q2MX/1").map(hash)).toEqual([...hashes].reverse());
    expect(new Nonces([memory(), device]).candidates("K7Q2MX/1").map(hash)).toEqual([...hashes].reverse());
  });

  it("ignores what is not a nonce", () => {
    expect(new Nonces([memory({ "noripan.nonce.A/1": "zz,,<b>" })]).candidates("A/1")).toEqual([]);
  });
});

describe("store", () => {
  it("falls back to memory when the browser refuses", () => {
    const refusing = store(() => {
      throw new Error("denied");
    });
    refusing.set("a", "1");
    expect(refusing.get("a")).toBe("1");
    expect(refusing.get("b")).toBeNull();
  });
});
