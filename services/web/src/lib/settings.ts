// Settings of the table, as opposed to the rules: their defaults and the values that the form offers.
import type { Catalogue } from "./i18n";
import type { Json } from "./view";
import type { Settings } from "./wire";

// The server leaves out what is at its default.
const DEFAULTS: Required<Settings> = {
  keep_order: false,
  public: false,
  spectators: true,
  delay_s: 0,
  countdown_s: 0,
  idle_s: 1800,
  locked: false,
};

/** What this client wishes for a new room: three seconds to see who is missing. */
export const WISHED: Settings = { countdown_s: 3 };

export const SWITCHES = ["public", "spectators", "keep_order"] as const;
export const CHOICES = {
  delay_s: [0, 5, 10, 20, 30, 60, 120, 300],
  countdown_s: [0, 3, 5, 10],
  idle_s: [600, 1800, 3600, 21_600, 86_400],
} as const;

export function withDefaults(settings: Settings | undefined): Required<Settings> {
  return { ...DEFAULTS, ...settings };
}

/** The values to offer for a setting, with the one it has although it is not on the list. */
export function offered(name: keyof typeof CHOICES, value: number): number[] {
  const listed: readonly number[] = CHOICES[name];
  return [...new Set([...listed, value])].sort((a, b) => a - b);
}

export function settingText(catalogue: Catalogue, name: string, value: Json): string {
  const { text } = catalogue;
  if (typeof value === "boolean") return value ? text.on : text.off;
  if (typeof value !== "number") return String(value);
  if (value === 0) return text.off;
  if (name === "idle_s" && value % 3600 === 0) return text.hours({ n: value / 3600 });
  if (name === "idle_s" && value % 60 === 0) return text.minutes({ n: value / 60 });
  return text.seconds({ n: value });
}
