import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Ring } from "../core/bounded.ts";
import { type Fields, fieldsIn, isObject } from "../core/input.ts";
import { type Call, control, matchesQuery, type Platform, type PlatformRoute, Refusal } from "../core/route.ts";
import type { SandboxPusherApp } from "../settings.ts";
import { isChannelName, type PusherEvent, Subscribers } from "./subscribers.ts";

type AcceptedEvent = PusherEvent & { readonly at: number };

/** Errors of the HTTP API have no code, only a status and a text. */
const refusal = (status: number, message: string): Refusal => new Refusal({ code: 0, status, message });

const keptEvents = 10_000;
const mostChannels = 100;
const mostInBatch = 10;
const largestData = 10_240;
/** The largest difference between `auth_timestamp` and the host's clock, in seconds. */
const clockTolerance = 600;

/** A host of the Pusher protocol: accepts signed events and sends them to subscribers. */
export function pusherPlatform(apps: readonly SandboxPusherApp[]): Platform {
  const accepted = new Ring<AcceptedEvent>(keptEvents);
  const subscribers = new Subscribers(apps);

  const route = (name: string, operation: string, eventsOf: (body: Fields) => PusherEvent[]): PlatformRoute => ({
    route: `POST /apps/{app}/${name}`,
    operation,
    handle(call) {
      const app = signedBy(call, apps, name);
      const fields = fieldsIn(call.body);
      if (!fields) throw refusal(400, "the body must be a JSON object");
      for (const event of eventsOf(fields)) {
        accepted.push({ ...event, at: Date.now() });
        subscribers.publish(app, event);
      }
      return {};
    },
  });

  return {
    routes: [
      route("events", "pusher_events", (body) => channelsOf(body).map((channel) => eventOf({ ...body, channel }))),
      route("batch_events", "pusher_batch_events", ({ batch }) => {
        if (!Array.isArray(batch)) throw refusal(400, "batch is required");
        if (batch.length > mostInBatch) throw refusal(400, `batch may hold at most ${mostInBatch} events`);
        return batch.map(eventOf);
      }),
    ],
    control: [
      control(
        "GET /__sandbox/pusher/events",
        "events that the Pusher host accepted, newest last; ?channel= ?name=",
        (_, { query }) =>
          accepted
            .oldestFirst()
            .filter(({ channel, name }) => matchesQuery(query, "channel", channel) && matchesQuery(query, "name", name))
            .map(view),
      ),
    ],
    failure: ({ status = 400, message = "refused" }) => ({ status, body: `${message}\n` }),
    upgrade: (request, socket, head) => subscribers.admit(request, socket, head),
    reset: () => accepted.clear(),
    close: () => subscribers.close(),
  };
}

const view = ({ at, data, channel, name }: AcceptedEvent): object => ({
  channel,
  name,
  at: new Date(at).toISOString(),
  bytes: Buffer.byteLength(data),
  data: parsed(data),
});

/** The app that signed the request. The signature covers method, path and query; the query has the body's digest. */
function signedBy(
  { method, path, query, body }: Call,
  apps: readonly SandboxPusherApp[],
  name: string,
): SandboxPusherApp {
  const app = apps.find(({ appId }) => appId === path.app);
  if (!app) throw refusal(404, `unknown app ${path.app?.slice(0, 50)}`);
  if (query.get("auth_key") !== app.key) throw refusal(401, "unknown auth_key");
  if (query.get("auth_version") !== "1.0") throw refusal(401, "auth_version must be 1.0");
  if (!(Math.abs(Date.now() / 1_000 - Number(query.get("auth_timestamp") ?? "x")) <= clockTolerance)) {
    throw refusal(401, `auth_timestamp is not within ${clockTolerance} s of now`);
  }
  const digest = createHash("md5").update(body).digest("hex");
  if (query.get("body_md5") !== digest) throw refusal(401, "body_md5 does not match the body");
  const signed = [...query]
    .filter(([key]) => key !== "auth_signature")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  const expected = createHmac("sha256", app.secret)
    .update([method, `/apps/${app.appId}/${name}`, signed.join("&")].join("\n"))
    .digest();
  const given = Buffer.from(query.get("auth_signature") ?? "", "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw refusal(401, "auth_signature does not match");
  }
  return app;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function channelsOf({ channels, channel }: Fields): unknown[] {
  const named = Array.isArray(channels) ? channels : [channel];
  if (named.length > mostChannels) throw refusal(400, `at most ${mostChannels} channels`);
  return named;
}

function eventOf(value: unknown): PusherEvent {
  const { name, channel, data, socket_id: socketId } = isObject(value) ? value : {};
  if (typeof name !== "string" || name === "" || name.length > 200) throw refusal(400, "name is not valid");
  if (!isChannelName(channel)) throw refusal(400, "channel is not valid");
  if (typeof data !== "string") throw refusal(400, "data must be a string");
  if (Buffer.byteLength(data) > largestData) throw refusal(413, `data may have at most ${largestData} bytes`);
  return { name, channel, data, exceptSocket: typeof socketId === "string" ? socketId : undefined };
}
