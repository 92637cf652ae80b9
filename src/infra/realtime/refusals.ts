import type { Duplex } from "node:stream";
import { refusalDelayMs } from "../../kernel/refusal-delay.ts";

/** Errors in `connect_error`: the English message, a sentence for people, and a code. */
export const refusals = {
  token: { message: "Invalid token", error: "El token de sesión no es válido", code: "unauthorized" },
  key: { message: "Invalid API key", error: "La App Key no es válida", code: "unauthorized" },
  scope: { message: "Missing scope", error: "La llave no tiene el alcance read", code: "forbidden" },
  since: { message: "Invalid since", error: "since debe ser el número de un evento", code: "invalid_input" },
  connections: {
    message: "Too many connections",
    error: "Hay demasiadas conexiones abiertas",
    code: "too_many_connections",
  },
  namespace: { message: "Invalid namespace", error: "No hay nada que escuchar ahí", code: "invalid_namespace" },
} as const;

/** Socket.IO sends `message` and `data` to the client. */
export class HandshakeRefused extends Error {
  readonly data: { readonly error: string; readonly code: string };

  constructor(why: keyof typeof refusals) {
    const { message, error, code } = refusals[why];
    super(message);
    this.data = { error, code };
  }
}

/** Answers 403 after a delay. Until then, the client's data are not read: Node.js stops reading at an upgrade. */
export function refuseUpgrade(socket: Duplex): void {
  // Without a listener, a client that hangs up would end the process.
  socket.on("error", () => {});
  const end = () => {
    socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", () => socket.destroy());
  };
  setTimeout(end, refusalDelayMs()).unref();
}
