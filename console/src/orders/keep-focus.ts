/** Drawings in which a card that moved is drawn in its place, and menus and dialogs have gone. */
const mostFrames = 60;

const from = "[role=menu], [role=dialog]";

/** Moves a card with `place`. Where it was moved by its menu or in a dialog, its button has the focus afterwards. */
export function keepingFocus(id: number, place: () => void): void {
  const hold = `[data-card="${id}"]`;
  const isHeld = document.activeElement?.closest(`${hold}, ${from}`);
  place();
  if (!isHeld) return;
  let frame = 0;
  requestAnimationFrame(function look() {
    const active = document.activeElement;
    const isFree = active === null || active === document.body;
    // A card that may go nowhere has no button.
    if (isFree) document.querySelector<HTMLElement>(`${hold} [data-move], ${hold} a`)?.focus({ preventScroll: true });
    else if (!active.closest(`${hold}, ${from}`)) return;
    frame += 1;
    if (frame < mostFrames) requestAnimationFrame(look);
  });
}
