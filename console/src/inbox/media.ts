/** The path of a stored file on this host, or null. The file's URL may name another host of the service. */
export function ownAddress(url: string): string | null {
  const path = /\/media\/(m_[\w.-]+)$/.exec(url.split(/[?#]/)[0] ?? "");
  return path ? `/media/${path[1]}` : null;
}

export function sizeOf(bytes: number, language: string): string {
  const [value, unit] =
    bytes < 1_000 ? [bytes, "byte"] : bytes < 1_000_000 ? [bytes / 1_000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}

/** Minutes and seconds, for example `2:05`. */
export function lengthOf(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.round(seconds)) : 0;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

type Fields = Readonly<Record<string, unknown>>;

/** Platforms' fields can have any type. These functions return an empty value for an unexpected type. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
