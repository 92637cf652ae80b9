/** The most items that the service gives in one page. */
export const pageSize = 100;
const mostPages = 20;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

/** Reads all pages of a list for a select or a search, at most 2,000 items. */
export async function allPages<Item>(
  read: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < mostPages; count += 1) {
    const { data, next }: Page<Item> = await read({ limit: pageSize, ...(cursor !== null && { cursor }) });
    all.push(...data);
    cursor = next;
    if (cursor === null) break;
  }
  return all;
}
