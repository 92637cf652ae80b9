const parts = /^(\d{1,2})(?:\s*[:.h]?\s*(\d{2}))?(?:\s*h|\s*([ap])\.?\s*m?\.?)?$/i;

/**
 * Reads `9` as `09:00`, `930`, `9.30` and `9:30` as `09:30`, and `9:30 pm` as `21:30`. Null for a text that is no time.
 */
export function readTime(text: string): string | null {
  const [, first = "", minute = "00", half] = parts.exec(text.trim()) ?? [];
  const hour = hourOf(Number(first), half?.toLowerCase());
  return first === "" || hour === null || Number(minute) > 59 ? null : `${String(hour).padStart(2, "0")}:${minute}`;
}

function hourOf(written: number, half: string | undefined): number | null {
  if (half === undefined) return written > 23 ? null : written;
  if (written < 1 || written > 12) return null;
  return (written % 12) + (half === "p" ? 12 : 0);
}

/** Shows `09:30` as `09:30` or `09:30 AM`, depending on the language. */
export function shownTime(time: string, language: string): string {
  if (time === "") return "";
  const format = new Intl.DateTimeFormat(language, { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });
  return format.format(new Date(`1970-01-01T${time}Z`));
}
