// The words of this table in all languages, and what they say about the rules in force.
import type { Language } from "../../lib/i18n";
import { en } from "./text.en";
import { ko, type YachtText } from "./text.ko";
import { ms } from "./text.ms";
import { TARGET, YACHT_BONUS, YACHT_POINTS, faceOf, type Box, type Rules } from "./rules";

export const TEXTS: Readonly<Record<Language, YachtText>> = { ko, en, ms };

/** The condition of a box under the rules in force. */
export function ruleText(text: YachtText, rules: Rules, box: Box): string {
  switch (box) {
    case "choice":
      return text.rule_choice;
    case "threeKind":
      return text.rule_three;
    case "fourKind":
      return rules.fourOnly ? text.rule_four_only : text.rule_four;
    case "fullHouse": {
      const worth = rules.fullHouse > 0 ? text.rule_full_points({ n: rules.fullHouse }) : text.rule_full_sum;
      return `${worth} ${rules.fiveIsFull ? text.rule_full_five : text.rule_full_no_five}`;
    }
    case "smallStraight":
      return rules.exactStraights ? text.rule_small_exact({ n: rules.small }) : text.rule_small({ n: rules.small });
    case "largeStraight":
      return rules.exactStraights ? text.rule_large_exact({ n: rules.large }) : text.rule_large({ n: rules.large });
    case "yacht":
      return text.rule_yacht({ n: YACHT_POINTS });
    default:
      return text.rule_upper({ face: faceOf(box) });
  }
}

/** What else is in force, beside the boxes. */
export function furtherRules(text: YachtText, rules: Rules): string[] {
  const bonus = rules.upperBonus > 0 ? [text.rule_bonus({ target: TARGET, n: rules.upperBonus })] : [];
  if (rules.joker === "") return bonus;
  const joker = rules.joker === "forced" ? text.rule_forced : text.rule_free;
  return [...bonus, text.rule_further({ n: YACHT_BONUS }), joker];
}
