import { readFileSync } from "node:fs";
import { orderLine } from "./order-line.ts";

/** Prints what an agent's inbox hears, event by event, until Ctrl-C; first what it missed since `SINCE`. */

const { io } = await import("socket.io-client");
const demo = JSON.parse(readFileSync(".run/demo.json", "utf8"));
const since = process.env.SINCE ? Number(process.env.SINCE) : undefined;
const socket = io(`${demo.api}/realtime`, {
  auth: { token: demo.agent.sessionToken, since },
  transports: ["websocket"],
});

socket.on("connect_error", (error) => console.error(`cannot connect: ${error.message}`));
socket.on("disconnect", (reason) => console.error(`disconnected: ${reason}`));
socket.onAny((name: string, payload: unknown) => {
  const line = name === "order:changed" ? orderLine(payload) : JSON.stringify(payload);
  console.log(name, line);
});
