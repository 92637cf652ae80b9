import { io, type Socket } from "socket.io-client";
import type { ClientEvents, ConnectError, ServerEvents } from "../../../client/src/index.ts";
import { hearCampaigns } from "../campaigns/live.ts";
import { hearContacts } from "../contacts/live.ts";
import { dropChat, reloadChats, showChat, showContactInChats } from "../inbox/chat-lists.ts";
import { kickOutbox } from "../inbox/outbox.ts";
import { setTyping, setViewing } from "../inbox/presence.ts";
import { reloadSide } from "../inbox/side.ts";
import { applyToThread, catchUpThreads, reloadThreads } from "../inbox/threads.ts";
import { hearOrders } from "../orders/live.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { alertOf, setShown } from "./alerts.ts";
import { setConnection } from "./connection.ts";
import { onMissed } from "./missed.ts";

type LiveSocket = Socket<ServerEvents, ClientEvents>;

const rejoinMs = 2_000;

let socket: LiveSocket | undefined;
/** Of the last event that is shown; the service tells what came after it when the connection is back. */
let lastSeq: number | undefined;

/** Connects, and keeps right what is shown until it is disconnected. */
export function connectLive(): () => void {
  const opened: LiveSocket = io("/realtime", {
    transports: ["websocket"],
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    // The cookie says who it is.
    auth: (tell) => tell(lastSeq === undefined ? {} : { since: lastSeq }),
  });
  socket = opened;
  hearConnection(opened);
  hearInbox(opened);
  hearOrders(opened);
  hearCampaigns(opened);
  hearContacts(opened);
  return () => {
    opened.disconnect();
    socket = undefined;
    lastSeq = undefined;
    setConnection("connecting");
  };
}

function sessionEnded(): void {
  setConnection("ended");
  queryClient.setQueryData(meKey, null);
}

function hearConnection(opened: LiveSocket): void {
  let mayReturn = true;
  opened.on("connect", () => {
    setConnection("catching-up");
    if (viewed !== null) opened.emit("viewing", { chat_id: viewed });
  });
  opened.on("ready", ({ seq }) => {
    lastSeq = Math.max(lastSeq ?? 0, seq);
    setConnection("online");
    kickOutbox();
  });
  opened.on("resync", ({ seq }) => {
    lastSeq = seq;
    void reloadThreads();
  });
  opened.once("ready", () => void catchUpThreads());
  onMissed(opened, () => {
    void reloadChats();
    for (const queryKey of [["chat"], ["agents"]]) void queryClient.invalidateQueries({ queryKey });
    reloadCounts();
  });
  opened.on("access:ended", ({ reason }) => {
    // Another page of the user may have pushed this one out; coming back at once would push that one out.
    mayReturn = reason === "too_many_connections";
    if (!mayReturn) sessionEnded();
  });
  opened.on("disconnect", (reason) => {
    if (!mayReturn) return;
    setConnection("reconnecting");
    // What the service cut, the library does not connect again by itself.
    if (reason === "io server disconnect") setTimeout(() => opened.connect(), rejoinMs);
  });
  opened.on("connect_error", ({ data }: ConnectError) => {
    if (data?.code === "unauthorized") {
      mayReturn = false;
      opened.disconnect();
      sessionEnded();
      return;
    }
    setConnection("reconnecting");
    if (data !== undefined) setTimeout(() => opened.connect(), rejoinMs);
  });
}

const countsPauseMs = 1_000;
let countsTimer: ReturnType<typeof setTimeout> | undefined;

/** Once for many events. */
function reloadCounts(): void {
  if (countsTimer !== undefined) return;
  countsTimer = setTimeout(() => {
    countsTimer = undefined;
    void queryClient.invalidateQueries({ queryKey: ["counts"] });
  }, countsPauseMs);
}

function hearInbox(opened: LiveSocket): void {
  opened.onAny((_name, payload?: { readonly seq?: number }) => {
    if (typeof payload?.seq === "number") lastSeq = Math.max(lastSeq ?? 0, payload.seq);
  });
  opened.on("inbox:reorder", (chat) => {
    showChat(chat);
    reloadCounts();
    void alertOf(chat);
  });
  opened.on("chat:changed", (chat) => {
    showChat(chat);
    reloadCounts();
  });
  opened.on("chat:gone", ({ chat_id }) => dropChat(chat_id));
  opened.on("message:new", ({ chat_id, mensaje }) => applyToThread({ kind: "new", chatId: chat_id, message: mensaje }));
  opened.on("message:changed", ({ chat_id, mensaje }) =>
    applyToThread({ kind: "changed", chatId: chat_id, message: mensaje }),
  );
  opened.on("message:status", ({ chat_id, mensaje_id, estado, error }) =>
    applyToThread({ kind: "status", chatId: chat_id, id: mensaje_id, status: { estado, error } }),
  );
  opened.on("agent:changed", () => void queryClient.invalidateQueries({ queryKey: ["agents"] }));
  opened.on("contact:changed", ({ contacto }) => showContactInChats(contacto));
  for (const name of ["contact:changed", "ticket:changed", "order:changed"] as const) opened.on(name, reloadSide);
  onMissed(opened, reloadSide);
  opened.on("chat:viewing", ({ chat_id, usuarios }) => setViewing(chat_id, usuarios));
  opened.on("chat:typing", ({ chat_id, usuario }) => setTyping(chat_id, usuario));
}

/** The chat that this page shows: said again whenever the connection is back. */
let viewed: number | null = null;

export function tellViewing(chatId: number | null): void {
  viewed = chatId;
  setShown(chatId);
  if (socket?.connected) socket.emit("viewing", { chat_id: chatId });
}

const typingEveryMs = 2_000;
let typedAt = 0;

export function tellTyping(chatId: number): void {
  const now = Date.now();
  if (!socket?.connected || now - typedAt < typingEveryMs) return;
  typedAt = now;
  socket.emit("typing", { chat_id: chatId });
}
