import { Refused } from "./api.ts";

/** Downloads an answer as CSV with `fetch`, since a link cannot set the Accept header. */
export async function downloadCsv(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: { accept: "text/csv" } });
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
