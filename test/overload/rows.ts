import { once } from "node:events";
import { rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { Agent } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { selfSigned } from "../../src/fixtures/https/certificate.ts";
import { within } from "../../src/kernel/within.ts";
import { type Answer, type RequestOptions, request } from "../support/http.ts";
import { aWebhook, signatureOf } from "../support/world.ts";
import { agentOf, attacker, emailOf, listeners, mediaTemplateOf, password, victim } from "./arena.ts";
import type { AttackSpec, Told } from "./attack.ts";
import type { Hammering, Holding, Listening, SlowHost } from "./attacks.ts";
import type { Offering } from "./offer.ts";
import type { Finding, Row, Scene } from "./row.ts";
import { bytesReadBy, those } from "./run-row.ts";
import type { Repeated, RequestSpec } from "./wire.ts";

const hammer = (settings: Hammering): AttackSpec => ({ attack: "hammer", settings });
const hold = (settings: Holding): AttackSpec => ({ attack: "hold", settings });

const post = (
  path: string,
  body: RequestSpec["body"],
  headers: Readonly<Record<string, string>> = {},
): RequestSpec => ({
  method: "POST",
  path,
  headers,
  ...(body !== undefined && { body }),
});

const megabyte = 2 ** 20;
const patienceMs = 30_000;

const signIn = (email: string, word: string, headers: Readonly<Record<string, string>> = {}) =>
  post("/auth/session", JSON.stringify({ email, password: word }), headers);
/** Of the administrator whom the attacker knows, and of nobody. */
const wrongSignIns = [signIn(emailOf(victim, "admin"), "guess {n}"), signIn("nobody{n}@b1.test", "guess {n}")];

const wrongKey = (path: string, headers: Readonly<Record<string, string>> = {}): RequestSpec => ({
  path,
  headers: { "x-api-key": "rk_wrong{n}", ...headers },
});

const ofAttacker = ({ arena }: Scene) => ({ "x-api-key": arena.appKey(attacker) });
const year = () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return { startDate: day(364), endDate: day(0) };
};
const reportPage = (scene: Scene): RequestSpec => ({
  path: `/reports/${attacker}.html?${new URLSearchParams(year())}`,
  headers: ofAttacker(scene),
});

/** A campaign to one contact with a field of so many bytes that no template reads. */
function previewOf(scene: Scene, { before = "", repeat, times, after = "" }: Repeated): RequestSpec {
  const text = JSON.stringify(scene.arena.campaign(1, { extra: "{field}" }));
  const [start, end] = text.split('"{field}"');
  return post("/campaigns/preview", { repeat, times, before: start + before, after: after + end }, ofAttacker(scene));
}

interface Timed {
  readonly status: number | "no answer";
  readonly ms: number;
  readonly answer?: Answer;
}

/** One request on a connection of its own. */
async function ask({ service }: Scene, path: string, options: RequestOptions, from?: string): Promise<Timed> {
  const began = performance.now();
  const agent = new Agent({ keepAlive: false, ...(from && { localAddress: from }) });
  try {
    const answer = await within(patienceMs, request(service.url + path, { ...options, agent }));
    return { status: answer.status, ms: Math.round(performance.now() - began), answer };
  } catch {
    return { status: "no answer", ms: Math.round(performance.now() - began) };
  } finally {
    agent.destroy();
  }
}

const rightSignIn = (who: "admin" | "agent", headers: Readonly<Record<string, string>> = {}): RequestOptions => ({
  method: "POST",
  headers,
  body: { email: emailOf(victim, who), password },
});

/** The name of a figure. */
const worst = (what: string): string => `${what}, worst ms`;

/** Repeats a check until the attack is over, at least once; what it complains about, each once. */
async function again(
  signal: AbortSignal,
  everyMs: number,
  check: () => Promise<Readonly<Record<string, Timed>>>,
): Promise<Finding> {
  const slowest: Record<string, number> = {};
  const misses = new Set<string>();
  let rounds = 0;
  do {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    for (const [what, { status, ms }] of Object.entries(await check())) {
      slowest[worst(what)] = Math.max(slowest[worst(what)] ?? 0, ms);
      if (status !== 200) misses.add(`${what}: ${status}`);
    }
    rounds += 1;
  } while (!signal.aborted);
  return { figures: { ...slowest, rounds }, misses: [...misses] };
}

const othersSignIn = "sign-in of another user";
const ownersSignIn = "sign-in of the attacked user's device";
/** The bound of a right sign-in while others guess, in ms. */
const signInMs = 5_000;

/** Whoever knows the password comes in from elsewhere: another user, and the attacked one on a known device. */
const ownersComeIn =
  (device: { cookie: string }) =>
  async (scene: Scene, signal: AbortSignal): Promise<Finding> => {
    const from = scene.arena.elsewhere;
    if (from === undefined) return { misses: ["this machine has no second address to sign in from"] };
    const known = device.cookie === "" ? {} : { cookie: device.cookie };
    return again(signal, 1_500, async () => ({
      [othersSignIn]: await ask(scene, "/auth/session", rightSignIn("agent"), from),
      [ownersSignIn]: await ask(scene, "/auth/session", rightSignIn("admin", known), from),
    }));
  };

/** The attacked user has signed in before: the cookies of that answer are the device's. */
async function knownDevice(scene: Scene): Promise<string> {
  const { answer } = await ask(scene, "/auth/session", rightSignIn("admin"), scene.arena.elsewhere);
  return (answer?.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ");
}

function signInRow(about: string, hammering: Omit<Hammering, "requests">): Row {
  const device = { cookie: "" };
  return {
    about,
    most: { [worst(othersSignIn)]: signInMs, [worst(ownersSignIn)]: signInMs },
    attackers: async (scene) => {
      device.cookie = await knownDevice(scene);
      return [hammer({ ...hammering, requests: wrongSignIns, variants: 200 })];
    },
    meanwhile: ownersComeIn(device),
    judge: (_scene, [told]) => limited(told),
  };
}

/** So many attempts at once are far more than any client of ours needs. */
const manyAttempts = 500;

/** Of many attempts some were refused for being too many. */
function limited(told: Told | undefined): Finding {
  const { "429": own = 0, "503": crowded = 0, ...others } = told?.outcomes ?? {};
  const unlimited = Object.values(others).reduce((sum, count) => sum + count, 0);
  const isLimited = own + crowded > 0 || unlimited < manyAttempts;
  return isLimited ? {} : { misses: [`of ${unlimited} attempts none was limited: neither 429 nor 503`] };
}

/** None of it has succeeded. */
const refused = (told: Told | undefined): Finding =>
  told?.outcomes["200"]
    ? { misses: [`${told.outcomes["200"]} of the attacker's requests were answered with 200`] }
    : {};

const both = (...findings: readonly Finding[]): Finding => ({
  figures: Object.assign({}, ...findings.map(({ figures }) => figures)),
  misses: findings.flatMap(({ misses = [] }) => misses),
});

const agentsOwn = async ({ arena }: Scene) => `Bearer ${await arena.sessionToken(attacker, agentOf(attacker))}`;

const expensiveLists = (token: string): RequestSpec[] => {
  const { startDate: from, endDate: to } = year();
  const base = `/catalogs/v2/orders/sucursal/${attacker}`;
  const headers = { authorization: token };
  const query = (fields: Record<string, string>) => `?${new URLSearchParams({ from, to, ...fields })}`;
  return [
    { path: `${base}${query({ limit: "100", page: "50" })}`, headers },
    { path: `${base}${query({ limit: "100", page: "5", userId: String(attacker * 1_000 + 1) })}`, headers },
    { path: `${base}${query({ limit: "100", status: "completed", sucursalId: String(attacker * 100 + 1) })}`, headers },
    { path: `${base}/counts${query({})}`, headers },
  ];
};

const cancelled = (scene: Scene): RequestSpec => ({
  path: `/estadisticas/obtener/ordersCanceled/${attacker}?${new URLSearchParams({ ...year(), cancelReason: "zz{n}", limit: "100" })}`,
  headers: ofAttacker(scene),
});

/** As many as one client of ours was seen to open. */
const connections = 256;

const uploadQuotaMegabytes = 50;
const uploadDirectory = join(tmpdir(), `recado-overload-${process.pid}`);

async function bytesIn(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true });
  const sizes = await Promise.all(names.map((name) => stat(join(directory, name)).catch(() => undefined)));
  return sizes.reduce((sum, each) => sum + (each?.isFile() ? each.size : 0), 0);
}

const changesEveryMs = 1_000;

/** By the name that `ROW=` takes. */
export const rows: Readonly<Record<string, Row>> = {
  control: {
    about: "nobody attacks; a process that does not talk to the service takes a whole CPU",
    isControl: true,
    attackers: () => [{ attack: "burn", settings: { percent: 100 } }],
  },

  "sign-ins": signInRow("300 connections guess passwords", { connections: 300 }),

  "sign-ins-gone": signInRow("120 connections guess passwords and hang up after 50 ms", {
    connections: 120,
    hangUpAfterMs: 50,
  }),

  "preview-field": {
    about: "previews with one contact's unknown field of 117 MB: a text, a list of objects; 2 connections",
    attackers: (scene) => {
      const fields = [
        { before: '"', repeat: "a", times: 117 * megabyte, after: '"' },
        { before: "[", repeat: "{},", times: 39 * megabyte, after: "0]" },
      ];
      return [hammer({ connections: 2, requests: fields.map((field) => previewOf(scene, field)) })];
    },
    judge: (_scene, [told]) => refused(told),
  },

  "preview-nested": {
    about: "previews with a contact's field of 30 MB of [[[..., 2 connections",
    attackers: (scene) => [
      hammer({ connections: 2, requests: [previewOf(scene, { repeat: "[", times: 30 * megabyte })] }),
    ],
    judge: (_scene, [told]) => refused(told),
  },

  "token-in-body": {
    about: "50,000 [ where a token may stand, without one, 32 connections",
    attackers: () => {
      const bodies = [
        { repeat: "[", times: 50_000 },
        { repeat: "[", times: 25_000, after: "]".repeat(25_000) },
      ];
      const requests = bodies.flatMap((body) => [
        post("/empresas/data-report/multi", body),
        { path: `/catalogs/v2/orders/sucursal/${victim}`, body },
      ]);
      return [hammer({ connections: 32, requests })];
    },
    judge: (_scene, [told]) => both(limited(told), refused(told)),
  },

  "report-page": {
    about: `the own report page of a year, ${connections} connections`,
    attackers: (scene) => [hammer({ connections, requests: [reportPage(scene)] })],
  },

  "csv-exports": {
    about: `recipients of an own campaign and the own report of a year as CSV, ${connections} connections`,
    attackers: async (scene) => {
      const headers = { ...ofAttacker(scene), accept: "text/csv" };
      const body = scene.arena.campaign(Math.min(20_000, scene.arena.size.contacts));
      const registered = await ask(scene, "/chats/enviar/masivo/plantilla", { method: "POST", headers, body });
      const id = registered.answer?.headers["x-campaign-id"];
      if (registered.status !== 200) throw new Error(`no campaign: ${registered.answer?.text}`);
      const report = JSON.stringify({ businessId: attacker, ...year() });
      return [
        hammer({
          connections,
          requests: [
            { path: `/campaigns/${id}/recipients`, headers },
            post("/empresas/data-report/multi?rows=agent", report, headers),
          ],
        }),
      ];
    },
  },

  "order-search": {
    about: `searches of the own orders, ${connections} connections`,
    attackers: async (scene) => {
      const authorization = await agentsOwn(scene);
      const base = `/catalogs/v2/orders/sucursal/${attacker}/search?limit=100&q=`;
      const requests = ["a", "Carla", "e{n}", "{n}", "Mar"].map((q) => ({
        path: base + q,
        headers: { authorization },
      }));
      return [hammer({ connections, requests, variants: 100 })];
    },
  },

  "order-lists": {
    about: `lists of the own orders with expensive filters, ${connections} connections`,
    attackers: async (scene) => [
      hammer({
        connections,
        requests: [...expensiveLists(await agentsOwn(scene)), cancelled(scene)],
        variants: 20,
      }),
    ],
  },

  "webhook-bodies": {
    about: "400 connections that send 3.9 of 4 MB to /webhooks/cloud, unsigned, and wait",
    attackers: () => [
      hold({
        connections: 400,
        beginning: {
          ...post("/webhooks/cloud", { repeat: "a", times: 3.9 * 1_000_000 }),
          declaredLength: 4 * 1_000_000,
        },
      }),
    ],
  },

  "nested-webhooks": {
    about: "signed webhooks nested 5,000 deep, 8 connections",
    attackers: () => {
      const depth = 5_000;
      const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const body = JSON.stringify(aWebhook(attacker, { messages: "{deep}" })).replace('"{deep}"', deep);
      const signed = post("/webhooks/cloud", body, { "x-hub-signature-256": signatureOf(body) });
      return [hammer({ connections: 8, requests: [signed] })];
    },
    judge: async ({ arena }) => {
      const waiting = await arena.rows<{ count: number }>("select count(*)::int as count from incoming_webhooks");
      const left = waiting[0]?.count ?? 0;
      await arena.rows("delete from incoming_webhooks");
      return left === 0 ? {} : { misses: [`${left} webhooks wait to be tried again`] };
    },
  },

  "endless-upload": {
    about: "one chunked upload without an end, which goes on after its 401",
    attackers: () => [{ attack: "endless", settings: {} }],
    throughout: async ({ service }, signal) => {
      const before = (await bytesReadBy(service)) ?? 0;
      if (!signal.aborted) await once(signal, "abort");
      const after = await bytesReadBy(service);
      return after === undefined
        ? {}
        : { figures: { "MB read by the process": Math.round((after - before) / megabyte) } };
    },
    judge: (_scene, [told]) => {
      // Buffers of the system between the two hold some of it.
      const sent = Math.round((told?.bytesSent ?? 0) / megabyte);
      const most = 16;
      return sent <= most ? {} : { misses: [`${sent} MB were taken from it, over ${most} MB`] };
    },
  },

  "media-probes": {
    about: "80 media_url at a host that never answers, while the other business sends media",
    // Production does not take the switch, without which hosts on this machine are not asked.
    environment: { ALLOW_PRIVATE_MEDIA_URLS: "true", NODE_ENV: "test" },
    attackers: (scene) => {
      const body = {
        empresa_id: attacker,
        phone_number: "59177000001",
        plantilla_id: mediaTemplateOf(attacker),
        parameters: ["Ana", "1"],
        media_url: "{url}",
      };
      const sending = post("/chats/enviar/plantilla/business", JSON.stringify(body), ofAttacker(scene));
      const settings: SlowHost = { connections: 80, request: sending };
      return [{ attack: "slowHost", settings }];
    },
    meanwhile: async (scene, signal) => {
      const files = createTlsServer(selfSigned(), (_request, response) => response.end());
      files.listen(0, "127.0.0.1");
      await once(files, "listening");
      const { port } = files.address() as AddressInfo;
      let sends = 0;
      try {
        return await again(signal, 500, async () => {
          sends += 1;
          const body = {
            empresa_id: victim,
            phone_number: `591770${10_000 + sends}`,
            plantilla_id: mediaTemplateOf(victim),
            parameters: ["Ana", String(sends)],
            media_url: `https://127.0.0.1:${port}/fast.png`,
          };
          const headers = { "x-api-key": scene.arena.appKey(victim) };
          const path = "/chats/enviar/plantilla/business";
          return { "media send": await ask(scene, path, { method: "POST", headers, body }, scene.arena.elsewhere) };
        });
      } finally {
        files.closeAllConnections();
        files.close();
      }
    },
  },

  "failures-of-others": {
    about: "unsigned webhooks and wrong keys from the address from which others come as well",
    attackers: (scene) => [
      hammer({ connections: 2, requests: [post("/webhooks/cloud", "{}"), wrongKey(scene.arena.orderPath(victim))] }),
    ],
    meanwhile: (scene, signal) =>
      again(signal, 1_500, async () => {
        const key = await scene.arena.newAppKey(victim);
        const webhook = JSON.stringify(aWebhook(victim, {}));
        const signed = { "x-hub-signature-256": signatureOf(webhook) };
        return {
          "right sign-in": await ask(scene, "/auth/session", rightSignIn("agent")),
          "new key": await ask(scene, scene.arena.orderPath(victim), { headers: { "x-api-key": key } }),
          "signed webhook": await ask(scene, "/webhooks/cloud", { method: "POST", rawBody: webhook, headers: signed }),
        };
      }),
    judge: (_scene, [told]) => limited(told),
  },

  "forged-addresses": {
    about: "wrong keys with a forged X-Forwarded-For before the proxy's entry, TRUST_PROXY=1",
    environment: { TRUST_PROXY: "1" },
    attackers: ({ arena }) => {
      const forged = (address: string) => ({ "x-forwarded-for": `${address}, 203.0.113.7` });
      const path = arena.orderPath(victim);
      return [
        hammer({
          connections: 8,
          requests: [wrongKey(path, forged("10.1.1.{n}")), wrongKey(path, forged("198.51.100.9"))],
          variants: 250,
        }),
      ];
    },
    meanwhile: (scene, signal) =>
      again(signal, 1_500, async () => {
        const headers = { "x-forwarded-for": "198.51.100.9" };
        const wrong = await ask(scene, scene.arena.orderPath(victim), {
          headers: { ...headers, "x-api-key": "rk_typo" },
        });
        return {
          "right sign-in from the forged address": await ask(scene, "/auth/session", rightSignIn("agent", headers)),
          // A limit that the attacker had used up there would say 429.
          "first wrong key from the forged address": { ...wrong, status: wrong.status === 401 ? 200 : wrong.status },
        };
      }),
    judge: (_scene, [told]) => limited(told),
  },

  "slow-headers": {
    about: "2,000 connections that send a header every 2 s and never the last",
    attackers: () => [
      hold({
        connections: 2_000,
        beginning: { path: "/livez" },
        drip: { text: "X-Slow: 1\r\n", everyMs: 2_000 },
      }),
    ],
  },

  "slow-bodies": {
    about: "2,000 connections that send a byte of a body every 2 s",
    attackers: () => [
      hold({
        connections: 2_000,
        beginning: { ...post("/auth/session", "{"), declaredLength: 100_000 },
        drip: { text: " ", everyMs: 2_000 },
      }),
    ],
  },

  "idle-connections": {
    about: "5,000 idle connections from one address",
    attackers: () => [{ attack: "idle", settings: { connections: 5_000 } }],
    meanwhile: async (scene, signal) => {
      const headers = { "x-api-key": scene.arena.appKey(victim) };
      const from = scene.arena.elsewhere;
      if (from === undefined) return { misses: ["this machine has no second address to connect from"] };
      const path = scene.arena.orderPath(victim);
      return again(signal, 500, async () => ({ "new connection": await ask(scene, path, { headers }, from) }));
    },
    judge: (_scene, [told]) => {
      const held = told?.figures["connections at most"] ?? 0;
      if (held >= 5_000) return { misses: ["all 5,000 connections of one address were held"] };
      return held < 1_000 ? { misses: [`only ${held} connections of one address were held`] } : {};
    },
  },

  "wrong-keys": {
    about: "wrong keys, 64 connections",
    attackers: ({ arena }) => [
      hammer({ connections: 64, requests: [wrongKey(arena.orderPath(victim))], variants: 1_000 }),
    ],
    judge: (_scene, [told]) => both(limited(told), refused(told)),
  },

  "metrics-keys": {
    about: "wrong keys for /metrics, 16 connections",
    environment: { METRICS_KEY: "a key for the metrics of this row" },
    attackers: () => [
      hammer({
        connections: 16,
        requests: [{ path: "/metrics", headers: { authorization: "Bearer wrong{n}" } }],
        variants: 1_000,
      }),
    ],
    meanwhile: (scene, signal) =>
      again(signal, 1_500, async () => {
        const headers = { authorization: "Bearer a key for the metrics of this row" };
        return { "right key": await ask(scene, "/metrics", { headers }) };
      }),
    judge: (_scene, [told]) => both(limited(told), refused(told)),
  },

  uploads: {
    about: `an agent's session uploads 940 MB against a quota of ${uploadQuotaMegabytes} MB, 4 connections`,
    environment: { MEDIA_BASE_URL: "https://files.test/media/", MEDIA_DIR: uploadDirectory },
    attackers: async (scene) => {
      const { arena } = scene;
      process.once("exit", () => rmSync(uploadDirectory, { recursive: true, force: true }));
      await arena.rows(
        `update businesses set feature_flags = feature_flags || '{"media_quota_bytes": ${uploadQuotaMegabytes * megabyte}}'
         where id = ${attacker}`,
      );
      const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="{n}.txt"\r\n\r\n`;
      const body = { before: head, repeat: "texto ", times: 10_000_000 / 6, after: "\r\n--x--\r\n" };
      const headers = { authorization: await agentsOwn(scene), "Content-Type": "multipart/form-data; boundary=x" };
      return [hammer({ connections: 4, most: 94, requests: [post("/media", body, headers)] })];
    },
    judge: async () => {
      const stored = Math.round((await bytesIn(uploadDirectory)) / megabyte);
      const figures = { "MB stored": stored };
      return stored <= uploadQuotaMegabytes
        ? { figures }
        : { figures, misses: [`${stored} MB are stored, over the quota of ${uploadQuotaMegabytes} MB`] };
    },
  },

  registration: {
    about: "campaigns to 100,000 contacts registered one after the other",
    attackers: (scene) => {
      const body = JSON.stringify(scene.arena.campaign(scene.arena.size.contacts));
      return [
        hammer({
          connections: 1,
          most: 3,
          requests: [post("/chats/enviar/masivo/plantilla", body, ofAttacker(scene))],
        }),
      ];
    },
    endsItself: true,
    judge: (_scene, [told]) => (told?.outcomes["200"] === 3 ? {} : { misses: ["not every campaign was registered"] }),
  },

  sockets: {
    about: "2,000 sockets of the other business listen while 64 connections ask for report pages",
    attackers: async (scene) => {
      const tokens = await Promise.all(listeners.map((userId) => scene.arena.sessionToken(victim, userId)));
      const listening: Listening = {
        url: scene.service.url,
        tokens,
        socketsEach: 2_000 / listeners.length,
        event: "order:changed",
      };
      return [
        hammer({ connections: 64, requests: [reportPage(scene)] }),
        { attack: "listen", settings: listening, niceness: 0, staysOn: true },
      ];
    },
    throughout: async (scene, signal) => {
      const { arena } = scene;
      const headers = { "x-api-key": arena.appKey(victim) };
      let changes = 0;
      const change = async () => {
        changes += 1;
        const body = { orderId: arena.orderOf(victim), location_picked: `Oficina ${changes}`, paid: false };
        return {
          "change of an order": await ask(
            scene,
            "/catalogs/order/update",
            { method: "PUT", headers, body },
            arena.elsewhere,
          ),
        };
      };
      const found = await again(signal, changesEveryMs, change);
      return { ...found, figures: { ...found.figures, changes } };
    },
    judge: (_scene, [, told], { changes = 0 }) => {
      const { sockets = 0, events = 0, missed = 0, doubled = 0, breaks = 0 } = told?.figures ?? {};
      return {
        misses: those(
          sockets !== 2_000 && `${sockets} of 2,000 sockets were connected`,
          events < Number(changes) && `of ${changes} changes only ${events} were heard of`,
          missed > 0 && `${missed} events were missed by a socket`,
          doubled > 0 && `${doubled} events were heard twice by a socket`,
          breaks > 0 && `${breaks} sockets were disconnected`,
        ),
      };
    },
  },

  twice: {
    about: "twice what the machine can carry, asked by 50 businesses alike",
    endsItself: true,
    attackers: ({ arena }) => {
      const settings: Offering = {
        requests: arena.crowd.map((id) => ({ path: arena.orderPath(id), headers: { "x-api-key": arena.appKey(id) } })),
        levels: [16, 32, 64, 128, 16, 32, 64, 128],
        levelMs: 2_500,
        factor: 2,
        openMs: 20_000,
        mostConnections: 40,
        ...(arena.elsewhere && { addresses: arena.crowd.map((id) => `127.0.1.${id}`) }),
      };
      return [{ attack: "offer", settings, niceness: 0 }];
    },
    judge: (_scene, [told]) => {
      const { outcomes = {}, figures = {} } = told ?? {};
      const best = figures["best a second"] ?? 0;
      const answered = figures["answered a second"] ?? 0;
      const spread = figures["spread of shares %"] ?? Number.POSITIVE_INFINITY;
      const others = Object.keys(outcomes).filter((outcome) => !["200", "429", "503"].includes(outcome));
      return {
        misses: those(
          answered < 0.85 * best && `${answered} answers a second are less than 85 % of the best, ${best}`,
          spread >= 20 && `the shares of businesses that ask alike differ by ${spread} %`,
          others.length > 0 && `requests ended as ${others.join(", ")}`,
          (figures["not sent"] ?? 0) > 0 &&
            `${figures["not sent"]} requests could not be sent: nothing was answered in time`,
        ),
      };
    },
  },
};
