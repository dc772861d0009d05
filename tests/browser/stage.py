"""What is put under a page before it loads, so that a test can do to it what a day in a pocket does, and see what it shows.

    __stage.shift          milliseconds by which the device's clock is wrong; may be set at any time
    __stage.hide() show()  the page goes to the background and comes back; timers and frames wait meanwhile, as the
                           browser's strictest throttling has it, while the network goes on
    __stage.moved          animations that started, one line each: which element, which animation
    __stage.told           what live regions told, in order: {polite, text}; a region is heard when something is added
                           to it or its text changes, not when it comes into the page

Only `Date` is shifted, never `performance`: that is how a wrong device clock looks to a page.
"""

STAGE = """
(() => {
  const stage = (window.__stage = { shift: SHIFT_MS, moved: [], told: [], hidden: false });

  const Real = Date;
  const now = () => Real.now() + stage.shift;
  window.Date = class extends Real {
    constructor(...parts) { parts.length ? super(...parts) : super(now()); }
    static now() { return now(); }
  };

  const late = [];
  const throttled = (run) => typeof run !== "function" ? run : (...given) => {
    if (!stage.hidden) return run(...given);
    if (!late.some((one) => one.run === run)) late.push({ run, given });
  };
  for (const name of ["setTimeout", "setInterval", "requestAnimationFrame"]) {
    const real = window[name].bind(window);
    window[name] = (run, ...rest) => real(throttled(run), ...rest);
  }
  const state = () => (stage.hidden ? "hidden" : "visible");
  Object.defineProperty(Document.prototype, "visibilityState", { configurable: true, get: state });
  Object.defineProperty(Document.prototype, "hidden", { configurable: true, get: () => stage.hidden });
  const tell = () => document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  stage.hide = () => { stage.hidden = true; tell(); };
  stage.show = () => { stage.hidden = false; for (const { run, given } of late.splice(0)) run(...given); tell(); };

  const named = (element, what) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}: ${what}`;
  addEventListener("animationstart", (event) => stage.moved.push(named(event.target, event.animationName)), true);
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    stage.moved.push(named(this, "animate"));
    return animate.apply(this, given);
  };

  const LIVE = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"], [role="log"]';
  const old = new WeakSet();
  const watch = (records) => {
    for (const { target, type, addedNodes } of records) {
      const element = target.nodeType === 1 ? target : target.parentElement;
      const region = element?.closest(LIVE);
      if (!region || !old.has(region)) continue;
      const polite = region.getAttribute("aria-live") !== "assertive" && region.getAttribute("role") !== "alert";
      const parts = type === "characterData" ? [target] : [...addedNodes];
      for (const part of parts) if (part.textContent.trim()) stage.told.push({ polite, text: part.textContent.trim() });
    }
    for (const region of document.querySelectorAll(LIVE)) {
      // An alert speaks when it comes; a polite region only when it changes.
      const text = region.textContent.trim();
      if (!old.has(region) && region.matches('[role="alert"]')) stage.told.push({ polite: false, text });
      old.add(region);
    }
  };
  new MutationObserver(watch).observe(document, { subtree: true, childList: true, characterData: true });
})();
"""
