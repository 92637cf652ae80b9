/** Scrolls an item of a horizontal list into its middle. `scrollIntoView` would also scroll the page. */
export function showInRow(row: HTMLElement | null, item: Element | null | undefined): void {
  if (!row || !item) return;
  const middleOf = ({ left, width }: DOMRect): number => left + width / 2;
  row.scrollLeft += middleOf(item.getBoundingClientRect()) - middleOf(row.getBoundingClientRect());
}
