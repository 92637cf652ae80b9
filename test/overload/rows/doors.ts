import type { RequestOptions } from "../../support/http.ts";
import { aWebhook, signatureOf } from "../../support/world.ts";
import { agentOf, attacker, emailOf, password, victim } from "../arena.ts";
import type { Hammering } from "../attacks.ts";
import type { Finding, Row, Scene } from "../row.ts";
import type { RequestSpec } from "../wire.ts";
import { again, ask, both, hammer, limited, post, refused, worst } from "./common.ts";

const signIn = (email: string, word: string, headers: Readonly<Record<string, string>> = {}) =>
  post("/auth/session", JSON.stringify({ email, password: word }), headers);
/** Sign-ins with the administrator's e-mail address, and with unknown addresses. */
const wrongSignIns = [signIn(emailOf(victim, "admin"), "guess {n}"), signIn("nobody{n}@b1.test", "guess {n}")];

const wrongKey = (path: string, headers: Readonly<Record<string, string>> = {}): RequestSpec => ({
  path,
  headers: { "x-api-key": "rk_wrong{n}", ...headers },
});

const rightSignIn = (who: "admin" | "agent", headers: Readonly<Record<string, string>> = {}): RequestOptions => ({
  method: "POST",
  headers,
  body: { email: emailOf(victim, who), password },
});

const othersSignIn = "sign-in of another user";
const ownersSignIn = "sign-in of the attacked user's device";
/** The maximum duration of a correct sign-in while others guess, in ms. */
const signInMs = 5_000;

/** Signs in from another IP address: as another user, and as the attacked user on a known device. */
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

/** Signs the attacked user in before the attack. Returns the device's cookies. */
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

/** The maximum number of sessions per user. */
const mostSessions = 20;

/**
 * Rows that attack authentication: guessed passwords and keys, repeated sign-ins, unsigned webhooks, and large requests
 * without a token.
 */
export const doorRows: Readonly<Record<string, Row>> = {
  "sign-ins": signInRow("300 connections guess passwords", { connections: 300 }),

  "sign-ins-gone": signInRow("120 connections guess passwords and hang up after 50 ms", {
    connections: 120,
    hangUpAfterMs: 50,
  }),

  sessions: {
    about: "one user signs in with the right password again and again, 32 connections",
    attackers: () => [hammer({ connections: 32, requests: [signIn(emailOf(attacker, "agent"), password)] })],
    judge: async ({ arena }, [told]) => {
      const [row] = await arena.rows<{ count: number }>(
        `select count(*)::int as count from sessions
         where business_id = ${attacker} and user_id = ${agentOf(attacker)} and revoked_at is null and expires_at > now()`,
      );
      const live = row?.count ?? 0;
      const figures = { "live sessions": live };
      const found = live <= mostSessions ? { figures } : { figures, misses: [`the user has ${live} live sessions`] };
      return both(found, limited(told));
    },
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

  "many-parameters": {
    about: "7,000 parameters in the query, where a token may be, without one, 10 connections",
    attackers: () => {
      const query = "a&".repeat(7_000);
      return [
        hammer({
          connections: 10,
          requests: [{ path: `/chats?${query}` }, { path: `/webhooks/cloud?${query}` }],
        }),
      ];
    },
    judge: (_scene, [told]) => both(limited(told), refused(told)),
  },

  "failures-of-others": {
    about: "unsigned webhooks and wrong keys from an address that others use, too",
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
          // 401 is expected. 429 would mean that the attacker has used up this address's limit.
          "first wrong key from the forged address": { ...wrong, status: wrong.status === 401 ? 200 : wrong.status },
        };
      }),
    judge: (_scene, [told]) => limited(told),
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
};
