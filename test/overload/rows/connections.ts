import { once } from "node:events";
import { floods } from "../../support/floods.ts";
import { attacker, victim } from "../arena.ts";
import type { Finding, Row, Scene } from "../row.ts";
import { bytesReadBy } from "../run-row.ts";
import { again, ask, hammer, hold, megabyte, post, pour } from "./common.ts";

const { packets: _packets, ...others } = floods;
const notPackets = Object.keys(others);

/** Megabytes that the process may read in a second. A process that only reads could read a thousand. */
const mostReadInASecond = 60;

async function readDuring({ service }: Scene, signal: AbortSignal): Promise<Finding> {
  const [before, began] = [(await bytesReadBy(service)) ?? 0, performance.now()];
  if (!signal.aborted) await once(signal, "abort");
  const after = await bytesReadBy(service);
  if (after === undefined) return {};
  const rate = (after - before) / megabyte / ((performance.now() - began) / 1_000);
  const misses = rate > mostReadInASecond ? [`it read ${Math.round(rate)} MB in a second`] : [];
  return { figures: { "MB read in a second": Math.round(rate) }, misses };
}

/** Rows with many connections. */
export const connectionRows: Readonly<Record<string, Row>> = {
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

  "many-headers": {
    about: "2,000 connections that send 2,000 headers and never the last",
    attackers: () => {
      const names = Array.from({ length: 2_000 }, (_, n) => n.toString(36));
      return [
        hold({
          connections: 2_000,
          beginning: { path: "/livez", headers: Object.fromEntries(names.map((name) => [name, "1"])) },
          drip: { text: "last: 1\r\n", everyMs: 20_000 },
        }),
      ];
    },
  },

  "slow-bodies": {
    about: "2,000 connections that send a byte of a body every 2 s",
    attackers: () => [
      hold({
        connections: 2_000,
        beginning: { ...post("/auth/session", "{"), declaredLength: 60_000 },
        drip: { text: " ", everyMs: 2_000 },
      }),
    ],
  },

  pipelines: {
    about: "500 connections that send 16 requests ahead",
    attackers: () => [pour({ connections: 500, request: { path: "/nothing" }, ahead: 16, reads: true })],
  },

  "unread-answers": {
    about: "1,000 connections that ask twice for a large page and read nothing",
    attackers: () => [pour({ connections: 1_000, request: { path: "/openapi.json" }, ahead: 2, reads: false })],
  },

  "unknown-paths": {
    about: "paths that do not exist, on 256 connections",
    attackers: () => [hammer({ connections: 256, requests: [{ path: "/nothing/{n}" }], variants: 100 })],
  },

  preflights: {
    about: "preflights of browsers, on 256 connections",
    environment: { CORS_ORIGINS: "https://app.example" },
    attackers: () => {
      const headers = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
      return [hammer({ connections: 256, requests: [{ method: "OPTIONS", path: "/media", headers }] })];
    },
  },

  handshakes: {
    about: "handshakes of sockets by polling, without a token, on 256 connections",
    attackers: () => [
      hammer({ connections: 256, requests: [{ path: "/socket.io/?EIO=4&transport=polling&t={n}" }], variants: 100 }),
    ],
  },

  "socket-packets": {
    about: "64 sockets without a valid token that send packets without a pause",
    attackers: () => [{ attack: "socketFlood", settings: { connections: 64, kinds: ["packets"] } }],
  },

  "socket-frames": {
    about: `200 sockets without a token that send without a pause: ${notPackets.join(", ")}`,
    attackers: () => [{ attack: "socketFlood", settings: { connections: 200, kinds: notPackets } }],
    meanwhile: readDuring,
  },

  "own-socket-frames": {
    about: "the same on 48 sockets with an App Key, as many as a business may open",
    attackers: (scene) => [
      {
        attack: "socketFlood",
        settings: { connections: 48, kinds: notPackets, appKey: scene.arena.appKey(attacker) },
      },
    ],
    meanwhile: readDuring,
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
};
