import { GraphError } from "../graph/graph.ts";

/** One entry of `fields`: `name`, `name.modifier(argument)`, `name{fields}`, or a combination of them. */
export interface Field {
  readonly name: string;
  readonly modifiers: Readonly<Record<string, string>>;
  /** The text between the braces; null without them. */
  readonly inner: string | null;
}

/** Reads `id,name,insights.date_preset(last_7d){spend},ads.limit(5){id}`; throws the platform's syntax error. */
export function parseFields(text: string): Field[] {
  return new Parser(text).list();
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  list(): Field[] {
    const fields: Field[] = [];
    if (this.text.trim() === "") return fields;
    for (;;) {
      fields.push(this.field());
      this.skipSpace();
      if (this.at === this.text.length) return fields;
      this.expect(",");
    }
  }

  private field(): Field {
    const name = this.word();
    const modifiers: Record<string, string> = {};
    while (this.text[this.at] === ".") {
      this.at += 1;
      modifiers[this.word()] = this.enclosed("(");
    }
    const inner = this.text[this.at] === "{" ? this.enclosed("{") : null;
    return { name, modifiers, inner };
  }

  private word(): string {
    this.skipSpace();
    const [word] = /^\w+/.exec(this.text.slice(this.at)) ?? [];
    if (word === undefined) throw this.syntaxError("Expected a field name");
    this.at += word.length;
    return word;
  }

  /** The text between a bracket and its counterpart. Brackets within quotes do not count. */
  private enclosed(open: "(" | "{"): string {
    this.expect(open);
    const from = this.at;
    const closing = [pairs[open]];
    let quoted = false;
    for (; this.at < this.text.length; this.at += 1) {
      const character = this.text[this.at] ?? "";
      if (quoted) {
        if (character === "\\") this.at += 1;
        else if (character === '"') quoted = false;
      } else if (character === '"') {
        quoted = true;
      } else if (pairs[character]) {
        closing.push(pairs[character]);
      } else if (character === closing.at(-1)) {
        closing.pop();
        if (closing.length === 0) return this.text.slice(from, this.at++);
      } else if (Object.values(pairs).includes(character)) {
        break;
      }
    }
    throw this.syntaxError(`Expected "${closing.at(-1)}"`);
  }

  private expect(character: string): void {
    if (this.text[this.at] !== character) throw this.syntaxError(`Expected "${character}"`);
    this.at += 1;
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  private syntaxError(what: string): GraphError {
    return new GraphError(2500, undefined, {
      message: `Syntax error "${what}." at character ${this.at}: ${this.text.slice(0, 200)}`,
    });
  }
}
