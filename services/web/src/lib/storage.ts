// What a browser keeps for us, and what when it does not: private modes may throw on any access.

export interface Store {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

/** A store over `open()` that falls back to memory whenever the browser refuses. */
export function store(open: () => Storage): Store {
  const memory = new Map<string, string>();
  return {
    get(key) {
      try {
        return open().getItem(key) ?? memory.get(key) ?? null;
      } catch {
        return memory.get(key) ?? null;
      }
    },
    set(key, value) {
      memory.set(key, value);
      try {
        open().setItem(key, value);
      } catch {
        // Refused or full: memory keeps it for this page's life.
      }
    },
  };
}

export const tabStore = store(() => sessionStorage);
export const deviceStore = store(() => localStorage);
