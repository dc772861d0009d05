// The words of this table in the page's language, and the names of boxes, which the whole client knows.
import { ui } from "../../lib/app.svelte";
import { boxTerm } from "../../lib/terms";
import { TEXTS } from "./text";
import type { YachtText } from "./text.ko";
import type { Box, Rules } from "./rules";

export function words(): YachtText {
  return TEXTS[ui.language];
}

export function boxName(box: Box, rules: Rules): string {
  return boxTerm(ui.catalogue, box, rules.set);
}
