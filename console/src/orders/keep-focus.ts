/** The focus is watched for this many frames. By then the card is in its place, and menus and dialogs are closed. */
const mostFrames = 60;

const from = "[role=menu], [role=dialog]";

const within = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);

/**
 * Moves a card with `place`. If the focus was in the card, a menu or a dialog and is then lost, the card's move button
 * gets the focus. A card that cannot be moved further has no such button, so its link gets the focus.
 */
export function keepingFocus(id: number, place: () => void): void {
  const hold = `[data-card="${id}"]`;
  const isHeld = document.activeElement?.closest(`${hold}, ${from}`);
  place();
  if (!isHeld) return;
  let frame = 0;
  requestAnimationFrame(function look() {
    const active = document.activeElement;
    const isFree = active === null || active === document.body;
    if (isFree) (within(`${hold} [data-move]`) ?? within(`${hold} a`))?.focus({ preventScroll: true });
    else if (!active.closest(`${hold}, ${from}`)) return;
    frame += 1;
    if (frame < mostFrames) requestAnimationFrame(look);
  });
}
