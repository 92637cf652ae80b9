import type { Statement } from "./database.ts";

/**
 * Makes a named statement: statement("user_name")`select name from users where id = $1`. Constants of the code
 * may be put into the text.
 */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...constants: readonly (string | number)[]): Statement => ({
    name,
    text: String.raw({ raw: parts }, ...constants),
  });
