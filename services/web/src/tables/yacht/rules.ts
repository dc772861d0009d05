// The three rule sets, as far as a table has to know them to draw itself and to explain its boxes. What a hand is worth is
// the server's business; a test compares this table with the engine's.
import type { Json, JsonObject } from "../../lib/view";

export const UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"] as const;
const LOWER = ["fourKind", "fullHouse", "smallStraight", "largeStraight", "yacht"] as const;
export type Box = (typeof UPPER)[number] | (typeof LOWER)[number] | "choice" | "threeKind";

export const TARGET = 63;
export const YACHT_POINTS = 50;
export const YACHT_BONUS = 100;
export const ROLLS_MAX = 3;

export interface Rules {
  /** Of the rule set; some boxes are called otherwise in some sets. */
  set: string;
  /** In the order of the sheet; the upper six come first. */
  boxes: readonly Box[];
  upperBonus: number;
  small: number;
  large: number;
  /** Straights are exactly 1–5 and 2–6, instead of runs of four and five. */
  exactStraights: boolean;
  /** Points of a full house; 0: the sum of the dice. */
  fullHouse: number;
  fiveIsFull: boolean;
  fourOnly: boolean;
  /** How a further yacht is scored; "": like any hand. */
  joker: "" | "forced" | "free";
}

const TWELVE: readonly Box[] = [...UPPER, "choice", ...LOWER];
const THIRTEEN: readonly Box[] = [...UPPER, "threeKind", ...LOWER, "choice"];

const YACHT_51: Rules = {
  set: "yacht51",
  boxes: TWELVE,
  upperBonus: 35,
  small: 15,
  large: 30,
  exactStraights: false,
  fullHouse: 0,
  fiveIsFull: true,
  fourOnly: false,
  joker: "",
};

export const SETS: Readonly<Record<string, Rules>> = {
  yacht51: YACHT_51,
  yahtzee: { ...YACHT_51, set: "yahtzee", boxes: THIRTEEN, small: 30, large: 40, fullHouse: 25, fiveIsFull: false, joker: "forced" },
  traditional: { ...YACHT_51, set: "traditional", upperBonus: 0, small: 30, exactStraights: true, fiveIsFull: false, fourOnly: true },
};

/** The rule set of a room; options that the server leaves out are as the set has them. */
export function rulesOf(options: JsonObject): Rules {
  const base = SETS[String(options.scoring ?? "yacht51")] ?? YACHT_51;
  const { fullHouseAllowsYacht: full, fourKindScore: four, yahtzeeJoker: joker } = options;
  // "none" and "sum" are the 0 of Rules.
  const points = (chosen: Json | undefined, usual: number) =>
    typeof chosen === "number" ? chosen : typeof chosen === "string" ? 0 : usual;
  return {
    ...base,
    upperBonus: points(options.upperBonus, base.upperBonus),
    fullHouse: points(options.fullHouseScore, base.fullHouse),
    small: points(options.littleStraightScore, base.small),
    large: points(options.bigStraightScore, base.large),
    fiveIsFull: typeof full === "boolean" ? full : base.fiveIsFull,
    fourOnly: typeof four === "string" ? four === "fourOnly" : base.fourOnly,
    joker: joker === "forced" || joker === "free" ? joker : base.joker,
  };
}

export function isUpper(box: Box): boolean {
  return (UPPER as readonly Box[]).includes(box);
}

/** 1 for ones … 6 for sixes; 0 for the boxes below. */
export function faceOf(box: Box): number {
  return (UPPER as readonly Box[]).indexOf(box) + 1;
}

/** Dice that fill a box, for its picture. */
export function example(box: Box, rules: Rules): number[] {
  const face = faceOf(box);
  if (face > 0) return [face, face, face, (face % 6) + 1, ((face + 2) % 6) + 1];
  if (box === "threeKind") return [4, 4, 4, 1, 6];
  if (box === "fourKind") return [6, 6, 6, 6, 2];
  if (box === "fullHouse") return [3, 3, 5, 5, 5];
  if (box === "smallStraight") return rules.exactStraights ? [1, 2, 3, 4, 5] : [2, 3, 4, 5, 2];
  if (box === "largeStraight") return [2, 3, 4, 5, 6];
  return box === "yacht" ? [4, 4, 4, 4, 4] : [1, 3, 4, 6, 6];
}
