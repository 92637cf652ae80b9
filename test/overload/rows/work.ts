import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "../../../src/fixtures/https/certificate.ts";
import { attacker, listeners, mediaTemplateOf, templateOf, victim } from "../arena.ts";
import type { Listening, SlowHost } from "../attacks.ts";
import type { Row, Scene } from "../row.ts";
import { those } from "../run-row.ts";
import type { RequestSpec } from "../wire.ts";
import { again, agentsOwn, ask, hammer, ofAttacker, post, reportPage, served, year } from "./common.ts";

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

/** The largest number of connections that a real client of the service was seen to open. */
const connections = 256;

const template = (businessId: number, n: string) => ({
  empresa_id: businessId,
  phone_number: `5917${n}00`,
  plantilla_id: templateOf(businessId),
  parameters: ["Ana", n],
});

const adsOf = (businessId: number, datePreset: string): string =>
  `/empresas/campaigns/${businessId}?${new URLSearchParams({ accountId: `act_${businessId}`, datePreset })}`;
/** The periods are used in turn, because the service caches the answer for each period. */
const presets = ["today", "yesterday", "last_7d", "last_30d", "this_month", "maximum"];

/** Starts a proxy for the platform. The proxy does not answer requests whose path contains one of `names`. */
async function silentFor(names: readonly string[], platform: string): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(platform);
  const front = createServer((incoming, outgoing) => {
    const { method, url: path = "", headers } = incoming;
    if (names.some((name) => path.includes(name))) return;
    const onwards = forward({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onwards.once("error", () => outgoing.destroy());
    incoming.pipe(onwards);
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const close = () => {
    front.closeAllConnections();
    front.close();
  };
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, close };
}

const changesEveryMs = 1_000;

/** Rows with work that is slow in the service or at a platform. */
export const workRows: Readonly<Record<string, Row>> = {
  "report-page": {
    about: `the own report page of a year, ${connections} connections`,
    attackers: (scene) => [hammer({ connections, requests: [reportPage(scene)] })],
    judge: (_scene, [told]) => served(told),
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
    judge: (_scene, [told]) => served(told),
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
    judge: (_scene, [told]) => served(told),
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
    judge: (_scene, [told]) => served(told),
  },

  "media-probes": {
    about: "80 media_url at a host that never answers, while the other business sends media",
    // With NODE_ENV=production, the service refuses the setting that allows hosts on this machine.
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
      const files = createTlsServer(await selfSigned(), (_request, response) => response.end());
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

  "slow-platforms": {
    about: "300 connections send templates and list ads while both platforms leave the attacker's requests unanswered",
    prepare: async ({ stage }) => {
      const { url, close } = await silentFor([`number-${attacker}`, `act_${attacker}`], stage.sandbox.url);
      return { environment: { MESSAGING_PLATFORM_URL: url, ADS_PLATFORM_URL: url }, close };
    },
    attackers: (scene) => {
      const sending = post(
        "/chats/enviar/plantilla/business",
        JSON.stringify(template(attacker, "{n}")),
        ofAttacker(scene),
      );
      const listing = { path: `${adsOf(attacker, "last_30d")}&after={n}`, headers: ofAttacker(scene) };
      return [hammer({ connections: 300, requests: [sending, listing], variants: 500 })];
    },
    meanwhile: (scene, signal) => {
      let asked = 0;
      return again(signal, 500, async () => {
        asked += 1;
        const n = String(10_000 + asked);
        const headers = { "x-api-key": scene.arena.appKey(victim) };
        const sending = { method: "POST", headers, body: template(victim, n) };
        return {
          "template send": await ask(scene, "/chats/enviar/plantilla/business", sending, scene.arena.elsewhere),
          "list of ads": await ask(
            scene,
            adsOf(victim, presets[asked % presets.length] ?? "today"),
            { headers },
            scene.arena.elsewhere,
          ),
        };
      });
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
};
