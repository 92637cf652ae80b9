import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect } from "chai";

interface Store {
  readonly data: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** All texts of the console by language and screen. */
async function textsOfConsole(): Promise<Store["data"]> {
  const page = globalThis as { document?: object };
  const before = page.document;
  // `i18n.ts` sets the page's language.
  page.document = { documentElement: {} };
  try {
    const load = (file: string) => import(pathToFileURL(file).href);
    const { i18n } = (await load("console/src/app/i18n.ts")) as { readonly i18n: { readonly store: Store } };
    const files = readdirSync("console/src", { recursive: true, encoding: "utf8" }).map(
      (file) => `console/src/${file}`,
    );
    const adding = files.filter((file) => file.endsWith(".ts") && /^addTexts\(/m.test(readFileSync(file, "utf8")));
    for (const file of adding) await load(file);
    return i18n.store.data;
  } finally {
    if (before === undefined) delete page.document;
    else page.document = before;
  }
}

/** The texts by path, such as `numbers.state.open`. */
function leaves(texts: object, path = ""): [path: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "object" && value !== null ? leaves(value, `${path}${key}.`) : [[path + key, String(value)]],
  );
}

const placeholdersOf = (text: string): string => (text.match(/\{\{[^{}]*\}\}/g) ?? []).sort().join(" ");

describe("the console's texts", () => {
  let texts: Store["data"];
  before(async () => {
    texts = await textsOfConsole();
  });

  it("are in three languages, with the same keys and placeholders in each", () => {
    expect(Object.keys(texts).sort()).to.deep.equal(["en", "es", "pt"]);
    const screens = Object.keys(texts.es ?? {});
    expect(screens).to.include.members(["translation", "inbox", "thread", "orders", "campaigns", "connections"]);
    const wrong: string[] = [];
    for (const screen of screens) {
      const spanish = new Map(leaves(texts.es?.[screen] ?? {}));
      for (const language of ["en", "pt"]) {
        const others = new Map(leaves(texts[language]?.[screen] ?? {}));
        for (const path of new Set([...spanish.keys(), ...others.keys()])) {
          const [one, other] = [spanish.get(path), others.get(path)];
          if (one === undefined || other === undefined) {
            wrong.push(`${screen} ${path} is missing in ${one === undefined ? "es" : language}`);
          } else if (placeholdersOf(one) !== placeholdersOf(other)) {
            wrong.push(`${screen} ${path} in ${language}: "${other}" has other placeholders than "${one}"`);
          }
        }
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it("are not empty", () => {
    const empty = Object.entries(texts).flatMap(([language, screens]) =>
      Object.entries(screens).flatMap(([screen, all]) =>
        leaves(all).flatMap(([path, text]) => (text.trim() === "" ? [`${language} ${screen} ${path}`] : [])),
      ),
    );
    expect(empty).to.deep.equal([]);
  });
});
