import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { Recent } from "../live/recent.ts";
import { answered, api, type Contact } from "../shared/api.ts";
import { shownPhone } from "../shared/phone.ts";
import { queryClient } from "../shared/query.ts";

/** The filters of the list, as they are in the URL. */
export interface ContactSearch {
  readonly q?: string;
  readonly tag?: number;
  readonly opted_out?: boolean;
}

interface ContactPage {
  readonly data: readonly Contact[];
  readonly next: string | null;
}

type ContactPages = InfiniteData<ContactPage, string | null>;

/** A contact with its version for `If-Match`. */
export interface ReadContact {
  readonly contact: Contact;
  readonly version: string;
}

export const listsKey = ["contacts", "list"] as const;
export const listKey = (search: ContactSearch) => [...listsKey, search] as const;
export const contactKey = (id: number) => ["contacts", "one", id] as const;

export const isFiltered = ({ q, tag, opted_out }: ContactSearch): boolean =>
  q !== undefined || tag !== undefined || opted_out !== undefined;

const pageSize = 100;

export function fetchPage(search: ContactSearch, cursor: string | null, signal: AbortSignal): Promise<ContactPage> {
  const query = { ...search, limit: pageSize, ...(cursor && { cursor }) };
  return answered(api.GET("/contacts", { params: { query }, signal }));
}

export async function fetchContact(id: number): Promise<ReadContact> {
  const asked = api.GET("/contacts/{id}", { params: { path: { id } } });
  const contact = await answered(asked);
  return { contact, version: (await asked).response.headers.get("etag") ?? "" };
}

export const nameOf = ({ nombre, numero, platform_id }: Omit<Contact, "chats" | "opted_out_desde">): string =>
  nombre || shownPhone(numero) || platform_id;

/** The contact's chats, the one with the latest message first. */
export const latestChats = ({ chats }: Contact): Contact["chats"] =>
  [...chats].sort((a, b) => (b.ultimo_mensaje ?? "").localeCompare(a.ultimo_mensaje ?? ""));

type Change = (pages: ContactPages, search: ContactSearch) => ContactPages;

const recent = new Recent<Change>();
const searchIn = (key: QueryKey) => key[listsKey.length] as ContactSearch;

function changeLists(change: Change): void {
  recent.add(change);
  for (const [key, pages] of queryClient.getQueriesData<ContactPages>({ queryKey: listsKey }))
    if (pages) queryClient.setQueryData(key, change(pages, searchIn(key)));
}

recent.reapply<ContactPages>(listsKey, (pages, change, key) => change(pages, searchIn(key)));

const mapped = (pages: ContactPages, map: (rows: readonly Contact[]) => readonly Contact[]): ContactPages => ({
  ...pages,
  pages: pages.pages.map((page) => ({ ...page, data: map(page.data) })),
});

export function dropContact(id: number): void {
  changeLists((pages) => mapped(pages, (rows) => rows.filter((row) => row.id !== id)));
  // A panel that shows the contact reads it again, and then shows that it no longer exists.
  void queryClient.resetQueries({ queryKey: contactKey(id) });
}

type Known = Omit<Contact, "chats" | "opted_out_desde"> & Partial<Contact>;

/**
 * Updates the contact in all cached lists. A new contact is added on top of the list without filters. A row
 * that no longer fits a filter stays until the list is read again, so that it does not disappear while the user works.
 */
export function showContact(contact: Known): void {
  changeLists((pages, search) => {
    const isListed = pages.pages.some(({ data }) => data.some(({ id }) => id === contact.id));
    if (isListed)
      return mapped(pages, (rows) => rows.map((row) => (row.id === contact.id ? merged(row, contact) : row)));
    const [first, ...others] = pages.pages;
    if (!first || isFiltered(search) || (first.data[0]?.id ?? 0) > contact.id) return pages;
    const row = { chats: [], opted_out_desde: null, ...contact };
    return { ...pages, pages: [{ ...first, data: [row, ...first.data] }, ...others] };
  });
}

const merged = (row: Contact, contact: Known): Contact => ({
  ...row,
  ...contact,
  opted_out_desde: contact.opted_out ? (contact.opted_out_desde ?? row.opted_out_desde) : null,
});
