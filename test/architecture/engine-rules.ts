import type pg from "pg";
import { field, isNode, numberIn, parseTree, type TreeNode, type TreeValue, within } from "./node-tree.ts";

/**
 * What Citus refuses or breaks in statements on the distributed tables of a cell. Most rules are about functions whose
 * results could differ between nodes. Citus needs such a result before it sends a change to other nodes.
 */
const rules = {
  volatile: "a volatile function in the values that an update sets, or in the condition of an update or a delete",
  lazy: "a function that is not immutable in case or coalesce of an update or a delete",
  stable:
    "a stable function over columns in the values that an update sets, or in the condition of an update or a delete",
  conflict: "a function that is not immutable in on conflict",
  returning: "a function that is not immutable in returning",
  columns: "a subquery without columns",
  compared: "case with a value to compare (`case column when`) in the values that an update sets",
} as const;

export type Rule = keyof typeof rules;
export const meaningOf = (rule: Rule): string => rules[rule];

interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Returns a text for each broken rule of a statement: the statement's name, the rule and what breaks the rule. */
export async function brokenRules(client: pg.Client, statements: readonly Statement[]): Promise<string[]> {
  const catalogue = await readCatalogue(client);
  const broken: string[] = [];
  for (const { name, text } of statements) {
    const tree = await treeOf(client, text);
    for (const query of within(tree)) {
      if (query.kind !== "QUERY") continue;
      for (const [rule, culprit] of brokenBy(query, catalogue)) broken.push(`${name}: ${meaningOf(rule)}: ${culprit}`);
    }
  }
  return [...new Set(broken)];
}

/** Creates a procedure with the statement as its body, since PostgreSQL shows the parse tree of such a body. */
async function treeOf(client: pg.Client, text: string): Promise<TreeValue> {
  await client.query(`prepare asked as ${text}`);
  const { rows: prepared } = await client.query(
    "select parameter_types::regtype[]::text[] as types from pg_prepared_statements where name = 'asked'",
  );
  await client.query("deallocate asked");
  await client.query(`create procedure asked(${prepared[0].types.join(", ")}) begin atomic ${text}\n; end`);
  const { rows } = await client.query("select prosqlbody::text as body from pg_proc where proname = 'asked'");
  await client.query("drop procedure asked");
  return parseTree(rows[0].body);
}

type Volatility = "i" | "s" | "v";

interface Catalogue {
  readonly functions: ReadonlyMap<number, { readonly name: string; readonly volatility: Volatility }>;
  /** By type: the functions that convert text to a value (`input`) and a value to text (`output`). */
  readonly types: ReadonlyMap<number, { readonly input: number; readonly output: number }>;
}

async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const functions = await client.query(
    "select oid::int as id, proname as name, provolatile as volatility from pg_proc",
  );
  const types = await client.query(
    "select oid::int as id, typinput::oid::int as input, typoutput::oid::int as output from pg_type",
  );
  return {
    functions: new Map(functions.rows.map(({ id, ...each }) => [id, each])),
    types: new Map(types.rows.map(({ id, ...each }) => [id, each])),
  };
}

const select = 1;
const commands = { 2: "update", 3: "insert", 4: "delete" } as const;

function* brokenBy(query: TreeNode, catalogue: Catalogue): Generator<readonly [Rule, string]> {
  const kind = numberIn(query, "commandType");
  if (kind === select && field(query, "targetList") === null && field(query, "rtable") !== null) {
    yield ["columns", "select from"];
  }
  const command = commands[kind as keyof typeof commands];
  if (command === undefined) return;
  const named = (rule: Rule, calls: Iterable<Call>) => [...calls].map(({ name }) => [rule, name] as const);

  if (command !== "insert") {
    const conditions = [...within(field(query, "jointree"))]
      .filter(({ kind }) => kind === "FROMEXPR")
      .slice(0, 1)
      .map((from) => field(from, "quals"));
    const set = command === "update" ? [field(query, "targetList")] : [];
    for (const part of [...set, ...conditions]) {
      yield* named(
        "volatile",
        callsIn(part, catalogue, (volatility) => volatility === "v"),
      );
      yield* named("lazy", lazyCalls(part, catalogue));
      yield* named("stable", callsOverColumns(part, catalogue));
    }
    for (const node of within(set)) if (isCase(node) && isNode(field(node, "arg"))) yield ["compared", node.kind];
  }
  const conflict = field(query, "onConflict");
  if (isNode(conflict)) {
    const parts = ["arbiterWhere", "onConflictSet", "onConflictWhere"].map((name) => field(conflict, name));
    yield* named("conflict", callsIn(parts, catalogue, isMutable));
  }
  yield* named("returning", callsIn(field(query, "returningList"), catalogue, isMutable));
}

interface Call {
  readonly name: string;
  readonly node: TreeNode;
}

const isMutable = (volatility: Volatility): boolean => volatility !== "i";

function* callsIn(
  value: TreeValue,
  catalogue: Catalogue,
  counts: (volatility: Volatility) => boolean,
  enters?: (node: TreeNode) => boolean,
): Generator<Call> {
  for (const node of within(value, enters)) {
    for (const id of functionsOf(node, catalogue)) {
      const known = catalogue.functions.get(id);
      if (known && counts(known.volatility)) yield { name: known.name, node };
    }
  }
}

const staysHere = ({ kind }: TreeNode): boolean => kind !== "QUERY";
const isCase = ({ kind }: TreeNode): boolean => ["CASE", "CASEEXPR"].includes(kind);
const isLazy = (node: TreeNode): boolean => isCase(node) || ["COALESCE", "COALESCEEXPR"].includes(node.kind);

/**
 * Looks inside of each `case` and `coalesce`, also in the subqueries there, but not in other subqueries of `value`.
 * Returns the calls of functions that are not immutable.
 */
function* lazyCalls(value: TreeValue, catalogue: Catalogue): Generator<Call> {
  for (const node of within(value, (each) => staysHere(each) && !isLazy(each))) {
    if (isLazy(node)) yield* callsIn([...node.fields.values()].flat(), catalogue, isMutable);
  }
}

function* callsOverColumns(value: TreeValue, catalogue: Catalogue): Generator<Call> {
  const outside = (each: TreeNode): boolean => staysHere(each) && !isLazy(each);
  for (const call of callsIn(value, catalogue, (volatility) => volatility === "s", outside)) {
    const inside = [...call.node.fields.values()].flat();
    if ([...within(inside, outside)].some(({ kind }) => kind === "VAR")) yield call;
  }
}

function functionsOf(node: TreeNode, { types }: Catalogue): number[] {
  const named = ["funcid", "opfuncid", "aggfnoid", "winfnoid"]
    .map((name) => numberIn(node, name))
    .filter((id) => id > 0);
  // Keywords like `current_timestamp` are treated like `now()`, since they are stable too.
  if (node.kind === "SQLVALUEFUNCTION") return [transactionTime];
  if (node.kind !== "COERCEVIAIO") return named;
  const argument = field(node, "arg");
  const from = isNode(argument) ? types.get(typeOf(argument))?.output : undefined;
  return [from, types.get(numberIn(node, "resulttype"))?.input].filter((id) => id !== undefined);
}

/** The id of the function `now()`. */
const transactionTime = 1299;

const typeFields = [
  ...["vartype", "funcresulttype", "opresulttype", "paramtype", "consttype", "resulttype", "casetype", "coalescetype"],
  ...["minmaxtype", "aggtype", "wintype", "array_typeid"],
];
const typeOf = (node: TreeNode): number => typeFields.map((name) => numberIn(node, name)).find((type) => type > 0) ?? 0;
