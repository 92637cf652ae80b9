/** Scrolls a horizontal list until the item is in the middle. `scrollIntoView` would also scroll the page. */
export function showInRow(row: HTMLElement | null, item: Element | null | undefined): void {
  if (!row || !item) return;
  const middleOf = ({ left, width }: DOMRect): number => left + width / 2;
  row.scrollLeft += middleOf(item.getBoundingClientRect()) - middleOf(row.getBoundingClientRect());
}
