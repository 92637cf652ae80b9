/** Patterns of addresses whose scheme may be written in capitals. JSON Schema has no patterns that ignore case. */
export const httpsUrl = "^[Hh][Tt][Tt][Pp][Ss]://";
export const webUrl = "^[Hh][Tt][Tt][Pp][Ss]?://";

/** The address with its scheme in small letters, which the code that calls addresses expects. */
export const plainUrl = (input: string): string => input.replace(/^https?:/i, (scheme) => scheme.toLowerCase());
