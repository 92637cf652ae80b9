import { type Dialect, InvalidInput, plainDialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { objectWith, problem, text } from "../../../infra/http/routing/schema.ts";
import { domainError } from "../../../kernel/errors.ts";

interface ChannelAuthority {
  /** Signs the subscription. Null if the socket id is malformed. */
  authorize(socketId: string, channel: string): { auth: string } | null;
}

class NotYourChannel extends domainError("not_your_channel") {}
class NoHost extends domainError("no_host") {}

const dialect: Dialect<InvalidInput | NotYourChannel | NoHost> = {
  ...plainDialect,
  invalid_input: (error) => [400, { message: error.message }],
  not_your_channel: () => [403, { message: "Forbidden" }],
  no_host: () => [404, { message: "No Pusher host is configured" }],
};

/** The client libraries of the protocol post a form; other clients may post JSON. */
function fieldsOf(raw: Buffer, type: string): { socketId: unknown; channel: unknown } {
  if (!type.includes("json")) {
    const form = new URLSearchParams(raw.toString());
    return { socketId: form.get("socket_id"), channel: form.get("channel_name") };
  }
  try {
    const { socket_id: socketId, channel_name: channel } = Object(JSON.parse(raw.toString()));
    return { socketId, channel };
  } catch {
    throw new InvalidInput("Request body is not valid JSON");
  }
}

function required(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new InvalidInput(`${name} es requerido`);
}

export const pusherAuthRoute = (authority: ChannelAuthority | null, channelOf: (businessId: number) => string): Route =>
  defineRoute({
    method: "post",
    path: "/realtime/pusher/auth",
    operationId: "authorizePusherChannel",
    tag: "Realtime",
    summary: "Authorize a client of the Pusher protocol for the channel of its business",
    rules: {
      "Realtime.1": "Accepts `socket_id` and `channel_name`, as a form (what the protocol's clients post) or as JSON.",
      "Realtime.2": "Signs `private-empresa-<id>` of the user's own business only; any other channel is a 403.",
      "Realtime.3":
        "Changes of orders of type app or web are sent there as `order:changed`, with the payload that sockets would get, and " +
        "not by Socket.IO. Each is sent at least once, unless the host refuses it with 400 or 413; the higher `version` is " +
        "newer. A payload of more than 10 KiB comes without `details` and with `truncado: true`.",
    },
    auth: "session",
    body: "raw",
    bodyLimit: 4_096,
    responses: {
      200: {
        description: "The signature that the client shows to the host",
        schema: objectWith({ auth: text }),
      },
      400: { description: "A field is missing or wrong, or no token", schema: { type: "object" } },
      403: { description: "Not the channel of the user's business", schema: problem },
      404: { description: "No Pusher host is configured: these events are sent by Socket.IO", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect,
    handle: ({ body, caller, headers }) => {
      const { socketId, channel } = fieldsOf(body, headers["content-type"] ?? "");
      const socket = required(socketId, "socket_id");
      const name = required(channel, "channel_name");
      if (!authority) throw new NoHost("no Pusher host");
      if (name !== channelOf(caller.businessId)) throw new NotYourChannel(`business ${caller.businessId}`);
      const signed = authority.authorize(socket, name);
      if (!signed) throw new InvalidInput("socket_id no es válido");
      return signed;
    },
  });
