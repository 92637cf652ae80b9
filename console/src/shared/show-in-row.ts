/** Brings an item of a row that scrolls sideways to its middle. `scrollIntoView` would move the page as well. */
export function showInRow(row: HTMLElement | null, item: Element | null | undefined): void {
  if (!row || !item) return;
  const middleOf = ({ left, width }: DOMRect): number => left + width / 2;
  row.scrollLeft += middleOf(item.getBoundingClientRect()) - middleOf(row.getBoundingClientRect());
}
