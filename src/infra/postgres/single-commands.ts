import type { Knex } from "knex";

/**
 * Finds the semicolons between commands. Comments, strings, quoted names and function bodies are matched as a whole, so
 * that semicolons inside them are not found.
 */
const parts = /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;/g;

function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let begin = 0;
  const add = (end: number): void => {
    const command = text.slice(begin, end);
    // A comment alone is not a command.
    if (command.replace(/--.*/g, "").trim() !== "") commands.push(command);
    begin = end + 1;
  };
  for (const { 0: part, index } of text.matchAll(parts)) if (part === ";") add(index);
  add(text.length);
  return commands;
}

/** For migrations: runs the commands of a text one by one, since Citus cannot forward several commands at once. */
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
