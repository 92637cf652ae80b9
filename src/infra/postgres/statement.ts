import type { Statement } from "./database.ts";

/**
 * Names a text: statement("user_name")`select name from users where id = $1`. Constants of the code may be put into it.
 */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...constants: readonly (string | number)[]): Statement => ({
    name,
    text: String.raw({ raw: parts }, ...constants),
  });
