// The board as a drawing: where the 29 nodes lie, the lines between them, and the way that a number of steps takes.
//
// Units are those of the drawing, 300 wide. Nodes stand so far apart that at 300 px circles of 48 px around them do not
// overlap; the diagonals are therefore not cut into equal parts. The rules of the way (engine/games/yut/board.py) are needed
// where the server gives no path: for the suggestions of a teammate. Fixtures made by the engine hold this to it.
export type Place = number | "home";
export type Target = number | "goal";

export interface Point {
  x: number;
  y: number;
}

export const SIZE = 300;
const MARGIN = 24;
const FAR = SIZE - MARGIN;
const STEP = (FAR - MARGIN) / 5;
export const CENTRE = 22;
export const CORNERS: readonly number[] = [0, 5, 10, 15];

// From a corner to the centre, along both axes.
const INNER = [48, 87] as const;

export const POINTS: readonly Point[] = Array.from({ length: 29 }, (_, node) => place(node));
/** Where the pieces of the side in turn wait, and where they leave: in the free fields of the board. */
export const HOME: Point = { x: 220, y: 150 };
export const GOAL: Point = { x: 150, y: 220 };
/** The last throw lies in the upper field. */
export const STICKS: Point = { x: 150, y: 66 };

function place(node: number): Point {
  const along = (node % 5) * STEP;
  if (node < 5) return { x: FAR, y: FAR - along };
  if (node < 10) return { x: FAR - along, y: MARGIN };
  if (node < 15) return { x: MARGIN, y: MARGIN + along };
  if (node < 20) return { x: MARGIN + along, y: FAR };
  const [near, next] = INNER;
  switch (node) {
    case 20:
      return { x: FAR - near, y: MARGIN + near };
    case 21:
      return { x: FAR - next, y: MARGIN + next };
    case 23:
      return { x: MARGIN + next, y: FAR - next };
    case 24:
      return { x: MARGIN + near, y: FAR - near };
    case 25:
      return { x: MARGIN + near, y: MARGIN + near };
    case 26:
      return { x: MARGIN + next, y: MARGIN + next };
    case 27:
      return { x: FAR - next, y: FAR - next };
    case 28:
      return { x: FAR - near, y: FAR - near };
    default:
      return { x: SIZE / 2, y: SIZE / 2 };
  }
}

export function pointOf(spot: Place | "goal"): Point {
  if (spot === "home") return HOME;
  return spot === "goal" ? GOAL : POINTS[spot]!;
}

/** A coordinate as a share of the board, for what lies over the drawing. */
export const percent = (units: number) => `${(100 * units) / SIZE}%`;

const TURNING: Record<number, number> = { 5: 20, 10: 25, [CENTRE]: 27 };
const STRAIGHT: Record<number, number> = { 21: 23, 26: 27 };
const JUMPS: Record<number, number> = { 19: 0, 24: 15, 26: CENTRE, 28: 0 };

/** The node after `node`; `before` is the one passed just before it in this move. A move that starts here may turn. */
function next(node: Place, before: Place | null): number {
  if (node === "home") return 1;
  if (before === null && node in TURNING) return TURNING[node]!;
  if (node === CENTRE) return STRAIGHT[Number(before)]!;
  return JUMPS[node] ?? node + 1;
}

/** The nodes that `steps` forward lead to, ending early with 0 where the board ends. */
export function walk(from: Place, steps: number): number[] {
  const path: number[] = [];
  let node = from;
  let before: Place | null = null;
  while (node !== 0 && path.length < steps) {
    const after = next(node, before);
    before = node;
    node = after;
    path.push(after);
  }
  return path;
}

/** The points that a piece comes by, its start first: for the drawn path and for the motion alike. */
export function route(from: Place, path: readonly number[], to: Target): Point[] {
  const points = [pointOf(from), ...path.map((node) => pointOf(node))];
  return to === "goal" ? [...points, GOAL] : points;
}
