// Controls of a game come and go with every move. Whoever uses the keyboard must not start again from the top of the page
// when the one at hand is gone.
import type { Attachment } from "svelte/attachments";

/** For a panel: when the focus was within it and is lost after `changes`, it goes to `to`, else to the panel itself. */
export function stay(changes: () => unknown, to?: () => HTMLElement | undefined): Attachment<HTMLElement> {
  return (panel) => {
    let inside = false;
    const here = () => (inside = true);
    const left = (event: FocusEvent) => {
      if (event.relatedTarget instanceof Node) inside = panel.contains(event.relatedTarget);
    };
    panel.addEventListener("focusin", here);
    panel.addEventListener("focusout", left);
    $effect(() => {
      changes();
      if (inside && document.activeElement === document.body) (to?.() ?? panel).focus({ preventScroll: true });
    });
    return () => {
      panel.removeEventListener("focusin", here);
      panel.removeEventListener("focusout", left);
    };
  };
}
