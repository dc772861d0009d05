// The screen stays on while somebody of this device plays: nobody touches it while the others think.
type Lock = { release(): Promise<void>; released: boolean };
type Keeper = { request(kind: "screen"): Promise<Lock> };

/** Until the returned function is called. A browser lets go when the page is hidden, so it is asked again on return. */
export function keepAwake(): () => void {
  const keeper = (navigator as unknown as { wakeLock?: Keeper }).wakeLock;
  let wanted = true;
  let lock: Lock | null = null;
  const ask = () => {
    if (!keeper || !wanted || document.visibilityState !== "visible" || (lock && !lock.released)) return;
    keeper.request("screen").then(
      (got) => (wanted ? (lock = got) : void got.release()),
      () => undefined, // a low battery, or not allowed: the screen goes dark as it always did
    );
  };
  ask();
  document.addEventListener("visibilitychange", ask);
  return () => {
    wanted = false;
    document.removeEventListener("visibilitychange", ask);
    void lock?.release().catch(() => undefined);
  };
}
