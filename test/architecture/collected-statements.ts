import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

interface Statement {
  readonly name: string;
  readonly text: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const taker = "__takeStatement";

/**
 * Returns the named statements of the stores' modules with their complete texts. For this, it loads a changed copy of
 * the sources. In the copy, the creation of an object with `name` and `text` also records the object.
 */
export async function collectStatements(): Promise<readonly Statement[]> {
  const found = new Map<string, string>();
  const take = (made: { readonly name?: unknown; readonly text?: unknown }) => {
    if (typeof made.name === "string" && typeof made.text === "string" && made.name) found.set(made.name, made.text);
    return made;
  };
  Object.assign(globalThis, { [taker]: take });
  await mkdir(`${root}.data`, { recursive: true });
  // The copy is inside the repository, so that its modules find their dependencies.
  const copy = await mkdtemp(`${root}.data/statements-`);
  try {
    await cp(`${root}src`, copy, { recursive: true });
    const files = (await readdir(copy, { recursive: true })).filter(
      (file) => /postgres\/.*[.]ts$/.test(file) && !/^(fixtures|demo)\//.test(file),
    );
    for (const file of files) {
      await writeFile(`${copy}/${file}`, reportingStatements(await readFile(`${copy}/${file}`, "utf8")));
    }
    for (const file of files) await import(pathToFileURL(`${copy}/${file}`).href);
  } finally {
    await rm(copy, { recursive: true });
  }
  return [...found].map(([name, text]) => ({ name, text }));
}

function reportingStatements(source: string): string {
  const file = ts.createSourceFile("store.ts", source, ts.ScriptTarget.Latest, true);
  const marks: { readonly at: number; readonly text: string }[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const names = node.properties.map(({ name }) => name?.getText(file));
      if (names.includes("name") && names.includes("text")) {
        marks.push({ at: node.getStart(file), text: `globalThis.${taker}(` }, { at: node.getEnd(), text: ")" });
      }
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  let result = source;
  for (const { at, text } of marks.sort((a, b) => b.at - a.at)) result = result.slice(0, at) + text + result.slice(at);
  return result;
}
