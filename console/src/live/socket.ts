import { io, type Socket } from "socket.io-client";
import type { ClientEvents, ConnectError, ServerEvents } from "../../../client/src/index.ts";
import { hearCampaigns } from "../campaigns/live.ts";
import { hearContacts } from "../contacts/live.ts";
import { dropChat, reloadChats, showChat, showContactInChats } from "../inbox/chat-lists.ts";
import { kickOutbox } from "../inbox/outbox.ts";
import { setTyping, setViewing } from "../inbox/presence.ts";
import { reloadSide } from "../inbox/side.ts";
import { applyToThread, catchUpThreads, reloadThreads, repeatReloads } from "../inbox/threads.ts";
import { hearOrders } from "../orders/live.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { alertOf, setShown } from "./alerts.ts";
import { setConnection } from "./connection.ts";
import { onMissed } from "./missed.ts";

type LiveSocket = Socket<ServerEvents, ClientEvents>;

const rejoinMs = 2_000;

let socket: LiveSocket | undefined;
/** The number of the last received event. After an interruption, the service sends the later events, or `resync`. */
let lastSeq: number | undefined;

/** Connects, and updates what the page shows. The returned function disconnects. */
export function connectLive(): () => void {
  const opened: LiveSocket = io("/realtime", {
    transports: ["websocket"],
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    // The session is in a cookie, so `auth` does not contain it.
    auth: (give) => give(lastSeq === undefined ? {} : { since: lastSeq }),
  });
  socket = opened;
  const stopReturning = hearConnection(opened);
  hearInbox(opened);
  hearOrders(opened);
  hearCampaigns(opened);
  hearContacts(opened);
  return () => {
    stopReturning();
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

/** The returned function cancels a planned reconnection. */
function hearConnection(opened: LiveSocket): () => void {
  let mayReturn = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const returnLater = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => opened.connect(), rejoinMs);
  };
  opened.on("connect", () => {
    setConnection("catching-up");
    if (viewed !== null) opened.emit("viewing", { chat_id: viewed });
  });
  opened.on("ready", ({ seq }) => {
    lastSeq = Math.max(lastSeq ?? 0, seq);
    setConnection("online");
    kickOutbox();
    reloadFailed();
    repeatReloads();
  });
  opened.on("resync", ({ seq }) => {
    lastSeq = seq;
    void reloadThreads();
  });
  opened.once("ready", () => void catchUpThreads());
  onMissed(opened, () => {
    void reloadChats();
    for (const queryKey of [["chat"], ["agents"], ["departments"]]) void queryClient.invalidateQueries({ queryKey });
    reloadCounts();
  });
  opened.on("access:ended", ({ reason }) => {
    // With too many connections the session is still valid, so this page connects again later.
    mayReturn = reason === "too_many_connections";
    if (!mayReturn) sessionEnded();
  });
  opened.on("disconnect", (reason) => {
    if (!mayReturn) return;
    setConnection("reconnecting");
    // The library does not reconnect by itself if the service disconnected.
    if (reason === "io server disconnect") returnLater();
  });
  opened.on("connect_error", ({ data }: ConnectError) => {
    if (data?.code === "unauthorized") {
      mayReturn = false;
      opened.disconnect();
      sessionEnded();
      return;
    }
    setConnection("reconnecting");
    if (data !== undefined) returnLater();
  });
  return () => clearTimeout(timer);
}

/** Repeats the failed queries of the shown page, which may have failed because there was no connection. */
const reloadFailed = (): void =>
  void queryClient.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });

const countsPauseMs = 1_000;
let countsTimer: ReturnType<typeof setTimeout> | undefined;

/** Reloads the counts once for several events. */
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

/** The chat that this page shows. It is sent again after each reconnection. */
let viewed: number | null = null;

export function sendViewing(chatId: number | null): void {
  viewed = chatId;
  setShown(chatId);
  if (socket?.connected) socket.emit("viewing", { chat_id: chatId });
}

const typingEveryMs = 2_000;
let typedAt = 0;

export function sendTyping(chatId: number): void {
  const now = Date.now();
  if (!socket?.connected || now - typedAt < typingEveryMs) return;
  typedAt = now;
  socket.emit("typing", { chat_id: chatId });
}
