import type { Message } from "../shared/api.ts";
import type { Clock } from "../shared/time.ts";
import type { Outgoing } from "./outgoing.ts";

/** What a thread shows below each other; `day` is the moment whose day begins with the row. */
export type Row = { readonly key: string; readonly day: string | null } & (
  | {
      readonly kind: "message";
      readonly message: Message;
      /** What it answers: null where that is not loaded, undefined where it answers nothing. */
      readonly quoted: Message | null | undefined;
      /** Said by the same person as the row above, shortly after it. */
      readonly follows: boolean;
      /** So many unread messages begin with it; 0 elsewhere. */
      readonly unread: number;
    }
  | { readonly kind: "outgoing"; readonly outgoing: Outgoing }
);

export interface ThreadContent {
  /** Oldest first. */
  readonly messages: readonly Message[];
  readonly outgoing: readonly Outgoing[];
  /** Where what was not read begins, and how much it is. */
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

/** By clock and minute: to write a day is dear, and threads are put together again with every message. */
const days = new WeakMap<Clock, Map<string, string>>();
const mostDays = 10_000;
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

/** The service tells of a message before it answers who sent it: then it is shown once, as what it became. */
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
