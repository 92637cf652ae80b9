import { refusals } from "./refusals.ts";

interface MessageDescription {
  readonly summary: string;
  readonly description?: string;
  /** A JSON schema without the common fields `empresa_id`, `at` and `seq`. */
  readonly payload: PayloadSchema;
}
type Messages = Readonly<Record<string, MessageDescription>>;

interface PayloadSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}
type AnyMessage = Omit<MessageDescription, "payload"> & { readonly payload: object };

interface RealtimeDescription {
  readonly title: string;
  readonly version: string;
  /** Numbered events, by name. They are stored, and sent again to clients that were away. */
  readonly logged: Messages;
  /** Events that are sent once and not stored. */
  readonly atOnce: Messages;
  readonly heard: Messages;
  /** Messages through a Pusher host, if one is configured. */
  readonly pushed: Messages;
}

/** Collects named schemas and returns references to them. */
interface NamedSchemas {
  schemaOf(schema: unknown): unknown;
  readonly schemas: object;
}

export interface AsyncApiDocument extends Readonly<Record<string, unknown>> {
  readonly asyncapi: "3.0.0";
  readonly components: {
    readonly messages: Readonly<Record<string, object>>;
    readonly schemas: object;
    readonly securitySchemes: object;
  };
}

const text = { type: "string" } as const;
const number = { type: "integer", minimum: 0, description: "The number of an event of the business, from 1" } as const;
const envelope = {
  empresa_id: { type: "integer", description: "The business" },
  at: { type: "string", format: "date-time", description: "When it happened" },
} as const;

/** @param required - all properties unless given */
const objectOf = (properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) => ({
  type: "object",
  required,
  properties,
});

const since = { ...number, type: ["integer", "null"], description: "The last `seq` that the client has seen" } as const;

const loginOf = (field: string, description: string) => objectOf({ [field]: { ...text, description }, since }, [field]);

/** The client's `auth` of the handshake. */
const handshake: Readonly<Record<string, AnyMessage>> = {
  connect: {
    summary: "Connects to the namespace",
    description:
      "The field `auth` of Socket.IO's client. One of `token` and `key`. Answered by `ready`, or by `resync` if the events " +
      "after `since` cannot be had; refused with `connect_error`.",
    payload: {
      anyOf: [
        loginOf("token", "A session token: hears what its user may hear"),
        loginOf("key", "An App Key, for servers: hears everything of the business"),
      ],
    },
  },
};

const ownWords: Messages = {
  connect_error: {
    summary: "The client was not let in",
    description:
      "The error that Socket.IO's client gives to `connect_error`. It does not come back by itself. Without `data` the " +
      "connection could not be made, and the client tries again.",
    payload: objectOf({
      message: text,
      data: objectOf({
        error: { ...text, description: "A sentence for people" },
        code: { ...text, enum: [...new Set(Object.values(refusals).map(({ code }) => code))] },
      }),
    }),
  },
  ready: {
    summary: "The client has everything up to `seq`; what follows happens now",
    payload: objectOf({ seq: number }),
  },
  resync: {
    summary: "The client has missed events that cannot be had any more, or may hear something else than before",
    description: "What it shows has to be loaded again, as of `seq`.",
    payload: objectOf({ seq: number }),
  },
  "access:ended": {
    summary: "The client's access has ended; it is disconnected for good",
    payload: objectOf({ reason: { ...text, enum: ["revoked", "expired", "user_inactive", "too_many_connections"] } }),
  },
};

const about = [
  "Live events of a business, by Socket.IO in the namespace `/realtime` (path `/socket.io/`). An event is told after its",
  "change is committed. Logged events come in the order of their `seq`, each once; a client that comes back names the",
  "last `seq` it saw as `since` and gets what it missed, unless that is too much or too old (`resync`). Socket.IO's",
  "client may hand over again what it received while a connection broke: a client ignores what has a `seq` that it has",
  "seen. What an action answers may arrive before its events or after them: of two rows of a chat or an order the one",
  "with the higher `version` is newer, and whether a chat is the client's to see at all, events alone say. Numbers may be missing: those of events that are not for this client. Clients should pass over fields that they",
  "do not know. The reference of the HTTP API is at `/docs`.",
].join(" ");

/** @throws Error if two messages, or two different schemas, have the same name */
export function asyncApiDocument(described: RealtimeDescription, named: NamedSchemas): AsyncApiDocument {
  const { title, version } = described;
  const sent: Messages = {
    ...withEnvelope(described.logged, true),
    ...withEnvelope(described.atOnce, false),
    ...ownWords,
  };
  const heard: Readonly<Record<string, AnyMessage>> = { ...handshake, ...described.heard };
  const pushed: Messages = withEnvelope(described.pushed, true);
  const parts = [
    ...partsOf("realtime", "send", sent, named),
    ...partsOf("realtime", "receive", heard, named),
    ...partsOf("pusher", "send", pushed, named, "Pushed"),
  ];
  const keys = parts.map(({ key }) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new Error(`two messages are named ${twice}`);
  const messagesOf = (channel: string) =>
    Object.fromEntries(
      parts
        .filter((part) => part.channel === channel)
        .map(({ key }) => [key, { $ref: `#/components/messages/${key}` }]),
    );
  return {
    asyncapi: "3.0.0",
    info: { title, version, description: about, license: { name: "MIT" } },
    defaultContentType: "application/json",
    servers: {
      here: {
        host: "{host}",
        pathname: "/socket.io/",
        protocol: "wss",
        protocolVersion: "Socket.IO 4",
        description: "The service that this document comes from",
        variables: { host: { default: "localhost:3000", description: "Host and port of the service" } },
        security: [{ $ref: "#/components/securitySchemes/session" }, { $ref: "#/components/securitySchemes/appKey" }],
      },
      pusher: {
        host: "{host}",
        protocol: "wss",
        protocolVersion: "Pusher 7",
        description: "A host of the Pusher protocol, where the operator has configured one",
        variables: { host: { default: "localhost:6001", description: "Host and port" } },
      },
    },
    channels: {
      realtime: {
        address: "/realtime",
        title: "The namespace of a business's events",
        description:
          "A client may send 100 messages at once and 20 a second, of 16 kB each; pings count, too. One that sends more is disconnected a second later.",
        servers: [{ $ref: "#/servers/here" }],
        messages: messagesOf("realtime"),
      },
      pusher: {
        address: "private-empresa-{empresa_id}",
        title: "The orders of a business, of type app or web",
        description: "`POST /realtime/pusher/auth` lets a client in. Each event comes at least once.",
        servers: [{ $ref: "#/servers/pusher" }],
        parameters: { empresa_id: { description: "The business" } },
        messages: messagesOf("pusher"),
      },
    },
    operations: Object.fromEntries(
      parts.map(({ key, channel, action, summary }) => [
        key,
        {
          action,
          summary,
          channel: { $ref: `#/channels/${channel}` },
          messages: [{ $ref: `#/channels/${channel}/messages/${key}` }],
        },
      ]),
    ),
    components: {
      messages: Object.fromEntries(parts.map(({ key, message }) => [key, message])),
      schemas: named.schemas,
      securitySchemes: {
        session: { type: "apiKey", in: "password", description: "A session token, as `auth.token` of the handshake" },
        appKey: { type: "apiKey", in: "password", description: "An App Key, as `auth.key` of the handshake" },
      },
    },
  };
}

function withEnvelope(messages: Messages, isLogged: boolean): Messages {
  const fields = isLogged ? { ...envelope, seq: number } : envelope;
  return Object.fromEntries(
    Object.entries(messages).map(([name, { payload, ...message }]) => {
      const required = [...new Set([...Object.keys(fields), ...(payload.required ?? [])])];
      return [name, { ...message, payload: objectOf({ ...fields, ...payload.properties, ...fields }, required) }];
    }),
  );
}

interface Part {
  readonly key: string;
  readonly channel: string;
  readonly action: "send" | "receive";
  readonly summary: string;
  readonly message: object;
}

const partsOf = (
  channel: string,
  action: Part["action"],
  messages: Readonly<Record<string, AnyMessage>>,
  named: NamedSchemas,
  suffix = "",
): Part[] =>
  Object.entries(messages).map(([name, { summary, description, payload }]) => {
    const key = `${name.replaceAll(/[:_](\w)/g, (_, letter: string) => letter.toUpperCase())}${suffix}`;
    const typeName = `${key.charAt(0).toUpperCase()}${key.slice(1)}Payload`;
    const schema = named.schemaOf({ ...payload, "x-component": typeName });
    const message = { name, title: summary, summary, ...(description && { description }), payload: schema };
    return { key, channel, action, summary, message };
  });
