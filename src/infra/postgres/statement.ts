import type { Statement } from "./database.ts";

/** A statement under its name: statement("user_name")`select name from users where id = $1`. */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...constants: readonly (string | number)[]): Statement => ({
    name,
    text: String.raw({ raw: parts }, ...constants),
  });
