import { Refused } from "./api.ts";

/** An export of many rows takes long. */
const limitMs = 10 * 60_000;

/** Asks for an answer as CSV with `fetch`, since a link cannot set the Accept header. */
export async function fetchCsv(path: string, signal = AbortSignal.timeout(limitMs)): Promise<Response> {
  const response = await fetch(path, { headers: { accept: "text/csv" }, signal });
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  return response;
}

export async function downloadCsv(path: string, name: string): Promise<void> {
  const response = await fetchCsv(path);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  // After a minute the browser has started to read the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
