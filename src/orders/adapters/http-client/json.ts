/** The fields of a JSON object from outside: any of them may be missing or of any type. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object without fields stands for everything that is no JSON object. */
export function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** Without the slashes at its end, so that a path can follow. */
export const rootOf = (url: string): string => url.replace(/\/+$/, "");
