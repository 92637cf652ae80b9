/** A node of a parse tree in the text form of PostgreSQL, such as `{FUNCEXPR :funcid 1299 :args <>}`. */
export interface TreeNode {
  readonly kind: string;
  /** A field can have several values. For example, `constvalue` of a constant has a length and then the bytes. */
  readonly fields: ReadonlyMap<string, readonly TreeValue[]>;
}

export type TreeValue = TreeNode | readonly TreeValue[] | string | null;

export const isNode = (value: TreeValue | undefined): value is TreeNode =>
  typeof value === "object" && value !== null && "kind" in value;

export const field = (node: TreeNode, name: string): TreeValue => node.fields.get(name)?.[0] ?? null;

/** The number in a field, such as the id of a function. 0 if the field is absent, NaN if it is not a number. */
export const numberIn = (node: TreeNode, name: string): number => Number(field(node, name) ?? 0);

/** Each parenthesis, bracket or brace is one token. In other tokens, a backslash escapes the next character. */
const token = /\s*([{}()[\]]|(?:\\.|[^\s{}()[\]\\])+)/gsy;

export function parseTree(text: string): TreeValue {
  const tokens = [...text.matchAll(token)].map(([, found]) => found ?? "");
  let at = 0;
  const next = (): string => tokens[at++] ?? "}";
  const value = (): TreeValue => {
    const first = next();
    if (first === "(") return until(")");
    if (first === "[") return until("]");
    if (first === "{") return node();
    return first === "<>" ? null : first;
  };
  const until = (end: string): TreeValue[] => {
    const values: TreeValue[] = [];
    while (at < tokens.length && tokens[at] !== end) values.push(value());
    at += 1;
    return values;
  };
  const node = (): TreeNode => {
    const kind = next();
    const fields = new Map<string, TreeValue[]>();
    let values: TreeValue[] = [];
    while (at < tokens.length && tokens[at] !== "}") {
      if (!tokens[at]?.startsWith(":")) values.push(value());
      else {
        values = [];
        fields.set(next().slice(1), values);
      }
    }
    at += 1;
    return { kind, fields };
  };
  return value();
}

/** Returns the nodes of a value, outer nodes first. Skips nodes inside of a node for which `enters` returns false. */
export function* within(
  value: TreeValue | undefined,
  enters: (node: TreeNode) => boolean = () => true,
): Generator<TreeNode> {
  if (Array.isArray(value)) for (const each of value) yield* within(each, enters);
  else if (isNode(value)) {
    yield value;
    if (!enters(value)) return;
    for (const values of value.fields.values()) yield* within(values, enters);
  }
}
