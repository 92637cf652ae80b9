import { readFileSync } from "node:fs";
import { chatLine, endedLine, goneLine, typingLine, viewingLine } from "./inbox-line.ts";
import { orderLine } from "./order-line.ts";

/**
 * Prints the events of an agent's inbox until Ctrl-C. If `SINCE` is an event number, the program also prints the logged
 * events after that number. With `AS=admin` it prints the events of an administrator, and with `AS=key` those of an App
 * Key, which gets all events of the business.
 */

const { io } = await import("socket.io-client");
const demo = JSON.parse(readFileSync(".run/demo.json", "utf8"));
const since = process.env.SINCE ? Number(process.env.SINCE) : undefined;
const credentials: Readonly<Record<string, object>> = {
  agent: { token: demo.agent.sessionToken },
  admin: { token: demo.admin.sessionToken },
  key: { key: demo.business.appKey },
};
const socket = io(`${demo.api}/realtime`, {
  auth: { ...(credentials[process.env.AS ?? ""] ?? credentials.agent), since },
  transports: ["websocket"],
});

/** Events that are easier to read as a line of text than as JSON. */
const lines: Readonly<Record<string, (payload: unknown) => string>> = {
  "order:changed": orderLine,
  "chat:changed": chatLine,
  "chat:gone": goneLine,
  "chat:typing": typingLine,
  "chat:viewing": viewingLine,
  "access:ended": endedLine,
};

socket.on("connect_error", (error) => console.error(`cannot connect: ${error.message}`));
socket.on("disconnect", (reason) => console.error(`disconnected: ${reason}`));
socket.onAny((name: string, payload: unknown) => {
  const line = lines[name] ?? JSON.stringify;
  console.log(name, line(payload));
});
