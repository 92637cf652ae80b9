import { Refused } from "../shared/api.ts";
import type { ContactSearch } from "./contacts.ts";

/** An export of many contacts takes long. */
const limitMs = 10 * 60_000;

export async function exportContacts(search: ContactSearch): Promise<void> {
  const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)]));
  const headers = { accept: "text/csv" };
  const response = await fetch(`/contacts?${query}`, { headers, signal: AbortSignal.timeout(limitMs) });
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = "contactos.csv";
  link.click();
  // After a minute the browser has started to read the file.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
