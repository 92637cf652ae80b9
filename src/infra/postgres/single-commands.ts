import type { Knex } from "knex";

/** Strings, quoted names, bodies of functions and comments, in which a semicolon ends nothing; or one that does. */
const parts = /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;/g;

/** The commands of a text, each by itself. */
export function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let begin = 0;
  const add = (end: number): void => {
    const command = text.slice(begin, end);
    // What is a comment only is no command.
    if (command.replace(/--.*/g, "").trim() !== "") commands.push(command);
    begin = end + 1;
  };
  for (const { 0: part, index } of text.matchAll(parts)) if (part === ";") add(index);
  add(text.length);
  return commands;
}

/**
 * What a migration gets: runs the commands of a text one after the other. Citus passes the whole text of some commands on to
 * other nodes, which refuse one of several commands.
 */
export const withSingleCommands = (db: Knex): Knex =>
  new Proxy(db, {
    get(target, name) {
      if (name !== "raw") return Reflect.get(target, name);
      return async (text: string, bindings?: Knex.ValueDict) => {
        if (bindings) return target.raw(text, bindings);
        let last: unknown;
        for (const command of commandsOf(text)) last = await target.raw(command);
        return last;
      };
    },
  });
