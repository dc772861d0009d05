// Generated from schemas/json by scripts/types.mjs (`npm run types`). Do not edit.

export type ClientMessage =
  | Hello
  | Configure
  | Swap
  | Kick
  | Transfer
  | Lock
  | Expel
  | Silence
  | Start
  | Act
  | Join
  | Leave
  | Move
  | Ready
  | Promise
  | Touch
  | Rematch
  | Nonce
  | Say
  | Legal
  | Ping;
export type ServerMessage = Welcome | Snapshot | Update | Ack | Reject | LegalActions | Names | People | Said | Pong;
export type HttpBody =
  CreateRoom | RoomCreated | RoomSummary | RoomList | GameSteps | MoveCode | Claim | AskMe | Me | GameInfo;
export type RoomPart =
  | RoomView
  | (
      | Opened
      | Seated
      | Promised
      | Left
      | SeatChanged
      | ReadySet
      | CountdownStarted
      | CountdownStopped
      | Touched
      | IdleWarned
      | Closed
      | RematchVoted
      | RematchAgreed
      | HostChanged
      | Configured
      | Locked
      | Expelled
      | Silenced
      | Started
      | NonceOpened
      | Began
      | Connected
      | Disconnected
      | TimedOut
      | HouseAway
      | LogFull
      | Back
      | GameOver
      | Revealed
    );

export interface Wire {
  ClientMessage: ClientMessage;
  ServerMessage: ServerMessage;
  HttpBody: HttpBody;
  RoomPart: RoomPart;
}
/**
 * First message: which room, who (token, unless the cookie or a bearer header says it), and the position to resume from.
 *
 * tokens: of further people who play on this same device (a family table); each holds a seat of their own.
 */
export interface Hello {
  type: "hello";
  /**
   * small letters mean the large
   */
  room: string;
  /**
   * one tab or program of a player
   */
  session: string;
  token?: string | null;
  game?: number | null;
  version?: number;
  /**
   * @maxItems 7
   */
  tokens?:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string];
}
/**
 * The host, in the lobby. Absent: unchanged.
 */
export interface Configure {
  type: "configure";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  options?: {
    [k: string]: unknown;
  } | null;
  settings?: Settings | null;
}
/**
 * What belongs to the table and not to the rules.
 *
 * keep_order: play in the order of seats instead of a drawn one (000 4.1).
 * public: listed for everyone; otherwise one needs the code. spectators: people without a seat may watch a running game.
 * delay_s: how long after the players spectators see things. countdown_s: from Start to the deal; a leave stops it.
 * locked: nobody new may sit down or watch; the host switches it at any time.
 * idle_s: a lobby or finished game that nobody touches for so long is closed (a warning comes first).
 */
export interface Settings {
  keep_order?: boolean;
  public?: boolean;
  spectators?: boolean;
  delay_s?: number;
  countdown_s?: number;
  idle_s?: number;
  locked?: boolean;
}
/**
 * The host exchanges two seats, in the lobby.
 */
export interface Swap {
  type: "swap";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  /**
   * index of a seat at the table
   */
  seat: number;
  /**
   * index of a seat at the table
   */
  other: number;
}
export interface Kick {
  type: "kick";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  /**
   * index of a seat at the table
   */
  seat: number;
}
/**
 * The host makes whoever sits on `seat` host.
 */
export interface Transfer {
  type: "transfer";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  /**
   * index of a seat at the table
   */
  seat: number;
}
/**
 * The host lets nobody new sit down or watch, or does again; at any time.
 */
export interface Lock {
  type: "lock";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  locked: boolean;
}
/**
 * The host sends `target` away for good: no seat, no watching, no talk. Not somebody who is playing.
 */
export interface Expel {
  type: "expel";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  target: string;
}
/**
 * The host takes the voice of `target` in this room (silent), or gives it back.
 */
export interface Silence {
  type: "silence";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  target: string;
  silent?: boolean;
}
export interface Start {
  type: "start";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
}
/**
 * `after`: the version that it was decided on; refused as `stale_view` when the seat's moves have changed since.
 */
export interface Act {
  type: "act";
  /**
   * the client session's own number of this action
   */
  id: number;
  /**
   * index of a seat at the table
   */
  seat: number;
  action: unknown;
  turn?: number | null;
  after?: number | null;
}
export interface Join {
  type: "join";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  name: string;
  seat?: number | null;
  nonce_hash?: string | null;
}
export interface Leave {
  type: "leave";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
}
/**
 * To a free seat, in the lobby.
 */
export interface Move {
  type: "move";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  /**
   * index of a seat at the table
   */
  seat: number;
}
export interface Ready {
  type: "ready";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  ready: boolean;
}
/**
 * A nonce hash for a seat that has none, as after a rematch.
 */
export interface Promise {
  type: "promise";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  /**
   * 32 bytes, hex
   */
  nonce_hash: string;
}
/**
 * Still here: a room that was warned stays open.
 */
export interface Touch {
  type: "touch";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
}
export interface Rematch {
  type: "rematch";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  want?: boolean;
}
export interface Nonce {
  type: "nonce";
  /**
   * the client session's own number of this action
   */
  id: number;
  as?: string | null;
  /**
   * 32 bytes, hex
   */
  nonce: string;
}
/**
 * An emote, a line of chat or a suggestion to teammates. Not in the log; answered by everyone's `said`, or `reject`.
 *
 * A suggestion is of somebody who plays, and reaches the own side alone; where nobody else is on it, it is refused.
 * body: an emote's code, the line (plain text), or the suggested action as JSON.
 */
export interface Say {
  type: "say";
  kind: "chat" | "emote" | "suggest";
  body: string;
  as?: string | null;
}
/**
 * Which actions may this seat take now? Answered with `legal_actions`.
 */
export interface Legal {
  type: "legal";
  /**
   * index of a seat at the table
   */
  seat: number;
}
export interface Ping {
  type: "ping";
  t: number;
}
/**
 * Who you are here. `names` maps player id -> nickname of everyone at the table.
 *
 * others: the further people of this connection. people: how many are in the room, on all gateways. said: the last things.
 */
export interface Welcome {
  type: "welcome";
  room: string;
  player: string;
  /**
   * one tab or program of a player
   */
  session: string;
  /**
   * Items: index of a seat at the table
   */
  seats: number[];
  names: {
    [k: string]: string;
  };
  /**
   * milliseconds since 1970, by the Redis server's clock
   */
  now_ms: number;
  others?: string[];
  people?: number;
  said?: unknown[];
}
/**
 * The whole view of your audience at `version`, and the events missed since the position you gave (if few).
 */
export interface Snapshot {
  type: "snapshot";
  game: string;
  version: number;
  view: unknown;
  head?: string;
  entry?: string;
  events?: unknown[];
}
/**
 * What happened: `view` of version `from` + `patch` (RFC 7396) = view of `version`. Events of others' secrets are left out.
 *
 * `entry` and `head` are the receipt: id of the last decided entry (its first part is the time in ms) and chain head
 * after it. `done`: [session, action id] of the actions accepted in it.
 */
export interface Update {
  type: "update";
  game: string;
  from: number;
  version: number;
  entry: string;
  head: string;
  events: unknown[];
  patch: {
    [k: string]: unknown;
  };
  done?: [string, number][];
}
/**
 * The message is in the log as `entry`; it will be decided exactly once.
 *
 * `outcome` is "ok" when this answers a repeat of a message that was accepted already (its `done` may have been missed).
 */
export interface Ack {
  type: "ack";
  /**
   * the client session's own number of this action
   */
  id: number;
  entry: string;
  outcome?: string;
}
/**
 * Refused, nothing changed. `id` is missing when the refused message had none that could be read.
 */
export interface Reject {
  type: "reject";
  code: string;
  text: string;
  /**
   * the client session's own number of this action
   */
  id?: number;
  detail?: Detail;
}
/**
 * Why something was refused: where, what was expected, what was got. Never a secret, never a stack.
 *
 * beside: other options, as they stand, that `field` does not go with.
 */
export interface Detail {
  field?: string;
  expected?: unknown;
  got?: unknown;
  at?: string;
  beside?: {
    [k: string]: unknown;
  };
}
export interface LegalActions {
  type: "legal_actions";
  /**
   * index of a seat at the table
   */
  seat: number;
  version: number;
  actions: unknown[];
}
/**
 * Nicknames that are new or changed, by player id; those of before stay.
 */
export interface Names {
  type: "names";
  names: {
    [k: string]: string;
  };
}
/**
 * How many people are in the room now: players and spectators, on all gateways.
 */
export interface People {
  type: "people";
  people: number;
}
/**
 * `to`: the only players who are told, the speaker among them (a suggestion); absent: everybody.
 */
export interface Said {
  type: "said";
  player: string;
  kind: string;
  body: string;
  /**
   * milliseconds since 1970, by the Redis server's clock
   */
  at_ms: number;
  to?: string[];
}
export interface Pong {
  type: "pong";
  t: number;
  /**
   * milliseconds since 1970, by the Redis server's clock
   */
  now_ms: number;
}
/**
 * POST /api/rooms
 */
export interface CreateRoom {
  game: string;
  options?: {
    [k: string]: unknown;
  };
  settings?: Settings;
}
/**
 * token: absent for who came with a cookie.
 */
export interface RoomCreated {
  room: string;
  player: string;
  token?: string;
}
/**
 * GET /api/rooms/{code}: what a link preview or a join page shows.
 */
export interface RoomSummary {
  room: string;
  game: string;
  n: number;
  phase: string;
  version: number;
  players: number;
  seats_max: number;
  options: {
    [k: string]: unknown;
  };
  settings: Settings;
}
/**
 * GET /api/rooms?after=: public rooms with somebody in them, the last changed first. next: `after` of the next page.
 */
export interface RoomList {
  rooms: RoomSummary[];
  next?: string;
}
/**
 * GET /api/rooms/{code}/games/{n}/steps?from=V: a game step by step, as whoever asks may see it.
 *
 * upto: the last event that may be seen now. view: that of event `from`, absent for 0, when there was none. steps: at most
 * STEPS_MAX after it; ask again from the last one's version for more. seat: through whose eyes, absent: a spectator's.
 */
export interface GameSteps {
  game: string;
  upto: number;
  from: number;
  steps: GameStep[];
  view?: unknown;
  /**
   * index of a seat at the table
   */
  seat?: number;
}
/**
 * One event. The view before it + `patch` (RFC 7396) = the view at `version`, when it had just happened.
 *
 * events: what happened; nothing when that is hidden from whoever asks. at_ms: when, if the event itself tells it.
 */
export interface GameStep {
  version: number;
  patch: unknown;
  events?: unknown[];
  /**
   * milliseconds since 1970, by the Redis server's clock
   */
  at_ms?: number;
}
/**
 * POST /api/me/move: a one-time code with which another device becomes this player; the old token then is void.
 */
export interface MoveCode {
  code: string;
  expires_s: number;
}
/**
 * POST /api/me/claim, answered with Me.
 */
export interface Claim {
  code: string;
}
/**
 * Body of POST /api/me. new: a further identity, which leaves the caller's own and its cookie alone.
 */
export interface AskMe {
  new?: boolean;
}
/**
 * POST /api/me: the caller's player id; a new one is made when the caller has none.
 *
 * token: absent for who came with a cookie.
 */
export interface Me {
  player: string;
  token?: string;
}
/**
 * One of GET /api/games. Schemas are JSON Schema 2020-12; `codes` maps the game's own reject codes to Korean text,
 * `fits` and `seatings` say which options go together and how many may play by them.
 */
export interface GameInfo {
  name: string;
  rules_version: number;
  seats_min: number;
  seats_max: number;
  options: {
    [k: string]: unknown;
  };
  defaults: {
    [k: string]: unknown;
  };
  action: {
    [k: string]: unknown;
  };
  codes: {
    [k: string]: string;
  };
  fits?: Fit[];
  seatings?: Seating[];
}
/**
 * `option` has a meaning where each option in `needs` has one of the values listed there, and only there.
 *
 * Names are those of the wire. Several Fits of one option: any of them will do; an option without one always has a
 * meaning. usual: what the option is there when it is left out.
 */
export interface Fit {
  option: string;
  needs: {
    [k: string]: unknown[];
  };
  usual?: unknown;
}
/**
 * How many may play where `needs` holds (as in Fit). in_row: on the first seats, without a gap between them.
 */
export interface Seating {
  needs: {
    [k: string]: unknown[];
  };
  counts: number[];
  in_row?: boolean;
}
/**
 * `seats` by seat number. `table`: the game's own view, from Start on. `acting`: seats that have to act now.
 *
 * starts_ms: end of a running countdown. closes_ms: when an idle room closes, after the warning. next: number of the game
 * that was agreed on as a rematch. banned, expelled, silenced: players who may not
 * sit or talk, not even watch, not talk.
 */
export interface RoomView {
  room: string;
  n: number;
  phase: string;
  game: string;
  rules_version: number;
  options: {
    [k: string]: unknown;
  };
  settings: {
    [k: string]: unknown;
  };
  host: string;
  commitment: string;
  seats: {
    [k: string]: SeatView;
  };
  acting?: number[];
  turn?: number;
  deadline?: DeadlineView;
  table?: unknown;
  result?: {
    [k: string]: unknown;
  };
  revealed?: RevealedView;
  starts_ms?: number;
  closes_ms?: number;
  next?: number;
  banned?: string[];
  expelled?: string[];
  silenced?: string[];
}
/**
 * A taken seat. away: three automatic turns in a row. ready: in the lobby. rematch: wants another game.
 */
export interface SeatView {
  player: string;
  connected: boolean;
  away?: true;
  ready?: true;
  rematch?: true;
}
/**
 * Milliseconds by the server's clock. at_ms absent: no limit. absent: the grace of an absent player runs.
 */
export interface DeadlineView {
  turn: number;
  since_ms: number;
  at_ms?: number;
  absent?: true;
}
/**
 * Hex; see docs/design.md 6 for how to recompute every draw from it.
 */
export interface RevealedView {
  secret: string;
  nonces: string[];
}
/**
 * The lobby of game `id` is open; `commitment` = SHA-256 of the server's secret for it.
 *
 * format: of the log (`engine.chain.FORMAT`); absent in logs of format 1.
 */
export interface Opened {
  type: "opened";
  id: string;
  player: string;
  game: string;
  rules_version: number;
  options: {
    [k: string]: unknown;
  };
  settings: Settings;
  commitment: string;
  banned?: string[];
  format?: number;
  silenced?: string[];
  expelled?: string[];
  at_ms?: number;
}
/**
 * `nonce_hash` is the player's promise, "" when it made none.
 */
export interface Seated {
  type: "seated";
  seat: number;
  player: string;
  nonce_hash?: string;
  at_ms?: number;
}
export interface Promised {
  type: "promised";
  seat: number;
  nonce_hash: string;
  at_ms?: number;
}
/**
 * The seat is free. kicked: by the host, for good.
 */
export interface Left {
  type: "left";
  seat: number;
  player: string;
  kicked?: boolean;
  at_ms?: number;
}
/**
 * Who sat on `seat` sits on `to`, and the other way round when that was taken.
 */
export interface SeatChanged {
  type: "seat_changed";
  seat: number;
  to: number;
  at_ms?: number;
}
export interface ReadySet {
  type: "ready_set";
  seat: number;
  ready: boolean;
  at_ms?: number;
}
/**
 * The game starts at `until_ms` unless a seat changes before.
 */
export interface CountdownStarted {
  type: "countdown_started";
  until_ms: number;
  at_ms?: number;
}
export interface CountdownStopped {
  type: "countdown_stopped";
  at_ms?: number;
}
export interface Touched {
  type: "touched";
  at_ms?: number;
}
/**
 * Nobody does anything: the room closes at `closes_ms`.
 */
export interface IdleWarned {
  type: "idle_warned";
  closes_ms: number;
}
/**
 * The room is over for good. reason: "idle"; "log_full": nothing was being played, and the log had reached its bound.
 */
export interface Closed {
  type: "closed";
  reason: string;
}
export interface RematchVoted {
  type: "rematch_voted";
  seat: number;
  want: boolean;
  at_ms?: number;
}
/**
 * Everyone who is here wants another game: `seated` sit down in the lobby of the room's next one.
 */
export interface RematchAgreed {
  type: "rematch_agreed";
  host: string;
  seated: string[];
  at_ms?: number;
}
/**
 * `player` is "" when the host left and nobody else was seated: the next to sit down is host.
 */
export interface HostChanged {
  type: "host_changed";
  player: string;
  at_ms?: number;
}
export interface Configured {
  type: "configured";
  options: {
    [k: string]: unknown;
  };
  settings: Settings;
  at_ms?: number;
}
/**
 * The host lets nobody new sit down or watch (locked), or does again.
 */
export interface Locked {
  type: "locked";
  locked: boolean;
  at_ms?: number;
}
/**
 * The host sent somebody away, for good; a seat was freed by the `left` before it.
 */
export interface Expelled {
  type: "expelled";
  player: string;
  at_ms?: number;
}
/**
 * The host took a player's voice in this room, or gave it back.
 */
export interface Silenced {
  type: "silenced";
  player: string;
  silent: boolean;
  at_ms?: number;
}
/**
 * The Start record: freezes all that chance depends on. From here on seats are 0..n-1 in this order. h(0) of the chain.
 */
export interface Started {
  type: "started";
  id: string;
  at_ms: number;
  game: string;
  rules_version: number;
  options: {
    [k: string]: unknown;
  };
  settings: Settings;
  seats: string[];
  commitment: string;
  nonce_hashes: string[];
  format?: number;
}
export interface NonceOpened {
  type: "nonce_opened";
  seat: number;
}
/**
 * The key is fixed and the game is dealt. `withheld`: seats that promised a nonce and did not open it (zeros instead).
 */
export interface Began {
  type: "began";
  withheld?: number[];
}
export interface Connected {
  type: "connected";
  seat: number;
}
export interface Disconnected {
  type: "disconnected";
  seat: number;
  at_ms: number;
}
/**
 * `seats` let `turn` pass. cause: "deadline", or "absent" when the grace of absent players ended it sooner.
 *
 * away: those for whom it was the third automatic turn in a row. The game's own events of the automatic action follow.
 */
export interface TimedOut {
  type: "timed_out";
  turn: number;
  seats: number[];
  cause: string;
  away?: number[];
}
/**
 * No gateway served from `from_ms` to `to_ms`, so that nobody could act: clocks that ran meanwhile start anew at `to_ms`.
 *
 * Of the absent the whole grace; of a running turn at least its own length, or 15 seconds when that is less.
 */
export interface HouseAway {
  type: "house_away";
  from_ms: number;
  to_ms: number;
}
/**
 * The game's log has reached its bound: all turns that are left were played automatically, by the events that follow.
 */
export interface LogFull {
  type: "log_full";
}
/**
 * The player acted again: the count of automatic turns starts anew and "away" is cleared.
 */
export interface Back {
  type: "back";
  seat: number;
}
/**
 * The game's Result as JSON.
 */
export interface GameOver {
  type: "game_over";
  result: {
    [k: string]: unknown;
  };
  at_ms?: number;
}
/**
 * What the commitments hid: enough to recompute every draw. Nonces in seat order, zeros where none was opened.
 */
export interface Revealed {
  type: "revealed";
  secret: string;
  nonces: string[];
}
