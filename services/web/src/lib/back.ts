// The back button or gesture of a device as a way to cancel, where the browser tells pages of it.
interface Watcher {
  onclose: (() => void) | null;
  destroy(): void;
}

/** Calls `cancel` when the user goes back or presses Escape; the answer ends that. Nothing where browsers do not know it. */
export function onBack(cancel: () => void): () => void {
  const { CloseWatcher } = globalThis as { CloseWatcher?: new () => Watcher };
  if (!CloseWatcher) return () => undefined;
  const watcher = new CloseWatcher();
  watcher.onclose = cancel;
  return () => watcher.destroy();
}
