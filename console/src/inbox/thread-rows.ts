import type { Message } from "../shared/api.ts";
import type { Clock } from "../shared/time.ts";
import type { Outgoing } from "./outgoing.ts";

/** A row of a thread. `day` is the time of the row if a new day begins with it. */
export type Row = { readonly key: string; readonly day: string | null } & (
  | {
      readonly kind: "message";
      readonly message: Message;
      /** The quoted message. It is null if it is not loaded, and undefined if nothing is quoted. */
      readonly quoted: Message | null | undefined;
      /** Whether the same person wrote the row above shortly before, and no day or unread mark is between the rows. */
      readonly follows: boolean;
      /** The number of unread messages if this row is the first of them, otherwise 0. */
      readonly unread: number;
    }
  | { readonly kind: "outgoing"; readonly outgoing: Outgoing }
);

interface ThreadContent {
  /** The oldest message comes first. */
  readonly messages: readonly Message[];
  readonly outgoing: readonly Outgoing[];
  /** The first unread message, and the number of unread messages. */
  readonly unreadFrom: { readonly id: number; readonly count: number } | null;
}

const togetherMs = 5 * 60_000;

export function rowsOf({ messages, outgoing, unreadFrom }: ThreadContent, clock: Clock): Row[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const rows: Row[] = [];
  let before: Message | undefined;
  let day = "";
  const opens = (at: string): string | null => {
    const key = dayOf(at, clock);
    if (key === day) return null;
    day = key;
    return at;
  };
  for (const message of messages) {
    const beginning = opens(message.fecha);
    const unread = unreadFrom?.id === message.id ? unreadFrom.count : 0;
    rows.push({
      kind: "message",
      key: `m${message.id}`,
      day: beginning,
      message,
      quoted: message.responde_a === null ? undefined : (byId.get(message.responde_a) ?? null),
      follows: beginning === null && unread === 0 && isTogether(before, message),
      unread,
    });
    before = message;
  }
  for (const one of notArrived(outgoing, messages))
    rows.push({ kind: "outgoing", key: `o${one.key}`, day: opens(one.at), outgoing: one });
  return rows;
}

/** A cache by clock and minute: formatting a day is slow, and every new message builds all rows again. */
const days = new WeakMap<Clock, Map<string, string>>();
const mostDays = 10_000;
/** The length of an ISO 8601 time up to its minutes. */
const minute = 16;

function dayOf(at: string, clock: Clock): string {
  let known = days.get(clock);
  if (!known || known.size > mostDays) {
    known = new Map();
    days.set(clock, known);
  }
  const key = at.slice(0, minute);
  const day = known.get(key) ?? clock.dayKey(at);
  known.set(key, day);
  return day;
}

const isTogether = (before: Message | undefined, message: Message): boolean =>
  before !== undefined &&
  before.direccion === message.direccion &&
  before.nota === message.nota &&
  before.autor === message.autor &&
  before.autor_nombre === message.autor_nombre &&
  Date.parse(message.fecha) - Date.parse(before.fecha) < togetherMs;

/** Leaves out messages that are in `messages` already. Their event can arrive before their request is answered. */
function notArrived(outgoing: readonly Outgoing[], messages: readonly Message[]): readonly Outgoing[] {
  const claimed = new Set<number>();
  return outgoing.filter((one) => {
    if (one.refusal !== null) return true;
    const arrived = messages.findLast(
      (message) => message.id > one.after && !claimed.has(message.id) && isSame(one, message),
    );
    if (arrived) claimed.add(arrived.id);
    return arrived === undefined;
  });
}

function isSame({ content }: Outgoing, message: Message): boolean {
  if (message.direccion !== "saliente" || message.nota !== (content.kind === "note")) return false;
  if (content.kind === "file") return nameIn(message.adjunto?.url) === nameIn(content.file.url);
  return message.texto.trim() === content.text.trim();
}

const nameIn = (url: string | undefined): string | undefined => url?.split("/").at(-1);
