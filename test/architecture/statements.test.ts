import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";

/** Names of prepared statements in a source. A composed name is cut at its first variable part and ends with `$`. */
const namesIn = (source: string): string[] =>
  [...source.matchAll(/(?:\bname: |\bstatement\()(?:"([^"]*)"|`([^`$]*\$?)[^`]*`)(?:,\s*text\b|\)`)/g)]
    .map(([, whole, beginning]) => whole ?? beginning ?? "")
    .filter((name) => name !== "");

const clashes = (names: readonly string[]): string[] => {
  const repeated = names.filter((name, i) => names.indexOf(name) !== i && !name.endsWith("$"));
  const beginnings = names.filter((name) => name.endsWith("$")).map((name) => name.slice(0, -1));
  const covered = names.filter((name) => !name.endsWith("$") && beginnings.some((start) => name.startsWith(start)));
  return [...repeated, ...covered];
};

describe("prepared statements", () => {
  it("have unique names, since a connection refuses a second statement with the same name", async () => {
    const files = (await readdir("src", { recursive: true })).filter((file) => file.includes("postgres/"));
    const sources = await Promise.all(files.filter((f) => f.endsWith(".ts")).map((f) => readFile(`src/${f}`, "utf8")));
    const names = sources.flatMap(namesIn);
    expect(names.length).to.be.above(100);
    expect(clashes(names)).to.deep.equal([]);
  });

  it("are reported if their names clash, literal or composed", () => {
    const source = (...names: string[]) => names.map((name) => `{ name: ${name}, text: "" }`).join("\n");
    expect(clashes(namesIn(source('"a"', '"b"', '"a"')))).to.deep.equal(["a"]);
    expect(clashes(namesIn(`${source('"a"')}\nstatement("a")\`\`\nstatement("b")\`\``))).to.deep.equal(["a"]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is a source, which is not evaluated
    expect(clashes(namesIn(source("`act_${kind}`", '"act_stop"', '"b"')))).to.deep.equal(["act_stop"]);
  });
});

describe("the composition root and the operator's commands", () => {
  it("contain no SQL statements, which belong to stores", async () => {
    for (const folder of ["src/bootstrap", "src/cli"]) {
      for (const file of await readdir(folder)) {
        expect(await readFile(`${folder}/${file}`, "utf8"), file).not.to.match(/\.rows[(<]|\btext: `/);
      }
    }
  });
});

describe("routes", () => {
  it("are all mounted by the composition root", async () => {
    const all = await readdir("src", { recursive: true });
    const sources = async (pattern: RegExp) =>
      Promise.all(all.filter((file) => pattern.test(file)).map((file) => readFile(`src/${file}`, "utf8")));
    const routes = (await sources(/adapters\/(http|pusher)\/.*\.ts$/)).flatMap((source) =>
      [...source.matchAll(/export (?:const|function) (\w+Routes?)\b/g)].map(([, name = ""]) => name),
    );
    expect(routes.length).to.be.above(20);
    const mounted = (await sources(/^bootstrap\//)).join("\n");
    expect(routes.filter((name) => !new RegExp(`\\b${name}\\(`).test(mounted))).to.deep.equal([]);
  });
});

describe("stores", () => {
  const storeSources = async (): Promise<[file: string, source: string][]> => {
    const files = (await readdir("src", { recursive: true })).filter((file) =>
      /adapters\/postgres\/.*\.ts$/.test(file),
    );
    expect(files.length).to.be.above(40);
    return Promise.all(
      files.map(async (file): Promise<[string, string]> => [file, await readFile(`src/${file}`, "utf8")]),
    );
  };

  it("open no transactions, which use cases do through their unit of work", async () => {
    const found = (await storeSources()).filter(([, source]) => /\.transaction\(/.test(source)).map(([file]) => file);
    expect(found).to.deep.equal([]);
  });

  it("use the cell of a business or their caller's transaction, and hold no database", async () => {
    const holding = /private readonly \w+: (Pick<)?Database\b/;
    const found = (await storeSources()).filter(([, source]) => holding.test(source)).map(([file]) => file);
    expect(found).to.deep.equal([]);
  });
});
