import {
  type ConnectionNews,
  connectionStates,
  noNews,
  type ProvenSender,
  type WebhookNews,
} from "../../domain/incoming.ts";

/** Kinds of news that are read; the provider tells of others, which are answered and not kept. */
export const qrEvents = ["connection.update"] as const;

type Json = Readonly<Record<string, unknown>>;

/** What kind of news it is, in the provider's word; it also writes `CONNECTION_UPDATE`. */
export const qrEventOf = (payload: unknown): string => {
  const { event } = object(payload);
  return typeof event === "string" ? event.toLowerCase().replaceAll("_", ".") : "";
};

/**
 * Reads a webhook of the provider of paired phones. What is not known is left out, never an error. Throws only when the
 * payload is no JSON.
 *
 * @param about - whose webhook it is; the secret proved that, not the payload
 */
export function readQrWebhook(payload: string, about: ProvenSender | null): WebhookNews {
  const root: unknown = JSON.parse(payload);
  switch (qrEventOf(root)) {
    case "connection.update":
      return { ...noNews, connections: readConnection(object(root), about) };
    default:
      return noNews;
  }
}

function readConnection({ data, date_time: written }: Json, about: ProvenSender | null): ConnectionNews[] {
  const { state: given } = object(data);
  const state = connectionStates.find((known) => known === given);
  if (state === undefined || about === null) return [];
  return [{ sender: about.platformId, owner: about.owner, state, toldAt: time(written) }];
}

/** Null for what is no time. The provider writes its local time as if it were UTC: compare it with its own times only. */
function time(written: unknown): Date | null {
  const at = typeof written === "string" && written.length <= 40 ? Date.parse(written) : Number.NaN;
  return at > 0 && at < Date.UTC(9999, 0) ? new Date(at) : null;
}

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
