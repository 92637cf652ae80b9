import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";

const longestPage = 150;
/** Five minutes at 260 words per minute. */
const mostWordsOfReadme = 1_300;

/** A page without its code, since links in code are examples. */
const withoutCode = (page: string): string => page.replace(/^ *```.*?^ *```$/gms, "").replace(/`[^`\n]*`/g, "code");

/** The targets of links and images within the repository. */
function linksIn(page: string): string[] {
  const found = withoutCode(page).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g);
  return [...found].map(([, link, source]) => link ?? source ?? "").filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of headings, as code hosts derive them. */
function anchorsIn(page: string): string[] {
  const headings = page.replace(/^ *```.*?^ *```$/gms, "").matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

async function brokenLinks(path: string, page: string): Promise<string[]> {
  const broken: string[] = [];
  for (const link of linksIn(page)) {
    const [file = "", anchor] = link.split("#");
    const target = normalize(join(dirname(path), file));
    const isThere = file === "" || (await isFileOrFolder(target));
    const hasAnchor = async () =>
      anchorsIn(file === "" ? page : await readFile(target, "utf8")).some((each) => each === anchor);
    if (!isThere || (anchor !== undefined && !(await hasAnchor()))) broken.push(`${path}: ${link}`);
  }
  return broken;
}

const isFileOrFolder = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Returns commands and files in backticks that do not exist. Also returns phrases like "`name` in `file.ts`" or "`name`
 * of `file.ts`" if the file does not contain the name.
 */
function outdated(page: string, commands: ReadonlySet<string>, files: ReadonlyMap<string, string>): string[] {
  const unknown = [...page.matchAll(/`make ([a-z-]+)/g)].flatMap(([said, name = ""]) =>
    commands.has(name) ? [] : [`${said}\``],
  );
  const named = [...page.matchAll(/(?:`(\w+)` (?:of|in) )?`([\w./-]*\w\.tsx?|(?:src|config|test)\/[\w./-]+)`/g)];
  const wrong = named.flatMap(([said, name = "", path = ""]) => {
    const found = [...files].filter(([file]) => `/${file}`.endsWith(`/${path}`) || file.startsWith(`${path}/`));
    return found.some(([, text]) => text.includes(name)) ? [] : [said];
  });
  return [...unknown, ...wrong];
}

describe("the documentation", () => {
  let pages: ReadonlyMap<string, string>;

  before(async () => {
    const inDocs = (await readdir("docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
    const paths = ["README.md", "client/README.md", ...inDocs];
    pages = new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, "utf8")] as const)));
  });

  const pagesOfDocs = () => [...pages].filter(([path]) => path.startsWith("docs/"));

  it("has only links to existing files and headings", async () => {
    const broken = await Promise.all([...pages].map(([path, page]) => brokenLinks(path, page)));
    expect(broken.flat()).to.deep.equal([]);
  });

  it("names only commands, files and parts of files that exist", async () => {
    const makefile = await readFile("Makefile", "utf8");
    const commands = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name = ""]) => name));
    const files = new Map<string, string>();
    for (const folder of ["src", "test", "config", "console/src"]) {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isFile()) files.set(path, await readFile(path, "utf8"));
      }
    }
    const wrong = [...pages].flatMap(([path, page]) =>
      outdated(page, commands, files).map((said) => `${path}: ${said}`),
    );
    expect(wrong).to.deep.equal([]);
    const page = "`make tea`, `make test`, `Secrets` in `src/infra/crypto/secrets.ts`, `Tea` of `secrets.ts`, `tea.ts`";
    expect(outdated(page, commands, files)).to.deep.equal(["`make tea`", "`Tea` of `secrets.ts`", "`tea.ts`"]);
  });

  it(`has pages of fewer than ${longestPage} lines`, () => {
    const long = pagesOfDocs().filter(([, page]) => page.split("\n").length > longestPage);
    expect(long.map(([path]) => path)).to.deep.equal([]);
  });

  it("has links from the README to every page", () => {
    const linked = linksIn(pages.get("README.md") ?? "").map((link) => link.replace(/#.*$/, ""));
    expect(linked).to.include.members(pagesOfDocs().map(([path]) => path));
  });

  it("has a README that can be read in five minutes", () => {
    const text = withoutCode(pages.get("README.md") ?? "").replace(/\]\([^)]*\)|<[^>]*>/g, " ");
    expect(text.match(/[\p{L}\p{N}][^\s|]*/gu)?.length).to.be.within(500, mostWordsOfReadme);
  });

  it("would report broken links", async () => {
    const page =
      "# One page\n[a](architecture.md#folders) [b](#one-page) [c](missing.md) [d](#two) ![e](images/no.png)\n`[f](x)`";
    const said = await brokenLinks("docs/page.md", page);
    expect(said.map((each) => each.replace("docs/page.md: ", ""))).to.deep.equal([
      "missing.md",
      "#two",
      "images/no.png",
    ]);
  });
});
