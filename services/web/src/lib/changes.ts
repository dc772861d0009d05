// What changed in the rules of a room, told one by one: a summary of all rules hides the one that matters.
import type { Catalogue } from "./i18n";
import { optionText } from "./options";
import { settingText, withDefaults } from "./settings";
import { term } from "./terms";
import type { Json, RoomView } from "./view";

export interface Change {
  name: string;
  /** null: by the rules, or no limit. */
  from: Json;
  to: Json;
  setting: boolean;
}

export function changes(before: RoomView, after: RoomView): Change[] {
  const settings = (view: RoomView) => withDefaults(view.settings) as unknown as Record<string, Json>;
  return [...differ(before.options ?? {}, after.options ?? {}, false), ...differ(settings(before), settings(after), true)];
}

function differ(before: Record<string, Json>, after: Record<string, Json>, setting: boolean): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((name) => ({ name, from: before[name] ?? null, to: after[name] ?? null, setting }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

export function changeText(catalogue: Catalogue, change: Change): string {
  const say = (value: Json) =>
    change.setting ? settingText(catalogue, change.name, value) : optionText(catalogue, change.name, value);
  return catalogue.text.change({ what: term(catalogue, change.name), from: say(change.from), to: say(change.to) });
}
