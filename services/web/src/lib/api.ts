// The few HTTP calls. The player is the cookie that /api/me sets; nothing of it is kept in scripts.
import type { CreateRoom, Detail, GameInfo, GameSteps, Me, MoveCode, RoomCreated, RoomList, RoomSummary } from "./wire";

/** A refusal or a failed call. `code` is a server code, or "offline" when there was no answer at all. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    text: string,
    readonly detail?: Detail,
  ) {
    super(text);
  }
}

async function call<T>(method: "GET" | "POST", path: string, body?: unknown, token = ""): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: body === undefined ? null : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch {
    throw new ApiError("offline", "");
  }
  const data: unknown = await response.json().catch(() => null);
  if (response.ok && data !== null) return data as T;
  const refusal = (data ?? {}) as { code?: string; text?: string; detail?: ApiError["detail"] };
  throw new ApiError(refusal.code ?? "unavailable", refusal.text ?? `HTTP ${response.status}`, refusal.detail);
}

export const api = {
  me: () => call<Me>("POST", "/api/me", {}),
  /** Another person on this device: a player that the cookie does not become. */
  newPerson: () => call<Me>("POST", "/api/me", { new: true }),
  /** A code by which another device becomes the cookie's player. */
  move: () => call<MoveCode>("POST", "/api/me/move", {}),
  claim: (code: string) => call<Me>("POST", "/api/me/claim", { code }),
  rooms: () => call<RoomList>("GET", "/api/rooms"),
  games: () => call<GameInfo[]>("GET", "/api/games"),
  create: (body: CreateRoom) => call<RoomCreated>("POST", "/api/rooms", body),
  room: (code: string) => call<RoomSummary>("GET", `/api/rooms/${encodeURIComponent(code)}`),
  /** token: of another person of this device than the cookie's. */
  steps: (code: string, n: number, from: number, token: string) =>
    call<GameSteps>("GET", `/api/rooms/${encodeURIComponent(code)}/games/${n}/steps?from=${from}`, undefined, token),
};

/** A room code as typed or pasted (also a whole link), or null. Codes have no 0, 1, I, O. */
export function readCode(text: string): string | null {
  const link = /\/r\/([2-9A-HJ-NP-Za-hj-np-z]{6})\b/i.exec(text);
  const code = (link?.[1] ?? text.replace(/[\s-]/g, "")).toUpperCase();
  if (/^[2-9A-HJ-NP-Z]{6}$/.test(code)) return code;
  // With what a messenger or a person puts around it. A word of six letters may be one; a code with a digit is none.
  const words = text.match(/(?<![0-9A-Za-z/])[2-9A-HJ-NP-Za-hj-np-z]{6}(?![0-9A-Za-z])/g) ?? [];
  const sure = words.length > 1 ? words.filter((word) => /\d/.test(word)) : words;
  return sure.length === 1 ? sure[0]!.toUpperCase() : null;
}

/** A code for moving a seat, as typed, or out of the whole link. */
export function readMoveCode(text: string): string | null {
  const code = /\/m\/([^/?#\s]+)/.exec(text)?.[1] ?? text.replace(/\s/g, "");
  return /^[0-9A-Za-z_-]{4,32}$/.test(code) ? code : null;
}
