import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { within } from "../../kernel/within.ts";
import { backlog } from "./server.ts";

/**
 * The program of the process that copies a descriptor. The program sends the handle back several times, and each copy
 * has a descriptor of its own.
 */
const copier = `process.on("message", (times, handle) => { while (times-- > 0) process.send(0, handle); })`;

/** Milliseconds that the other process has for copying. It needs about 50. */
const copyMs = 10_000;

/**
 * Makes a listening server accept several connections per turn of the event loop. libuv accepts one per descriptor and
 * turn, so in a busy process a rush of clients would delay new ones for seconds. All descriptors share one queue.
 */
export async function acceptFaster(server: Server, acceptors: number): Promise<void> {
  const others = await Promise.all(
    (await copiesOf(server, acceptors - 1)).map(async (handle) => {
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket));
      // `other` shares the queue of `server`. Without `backlog`, Node would shorten that queue to 511 connections.
      await new Promise<void>((resolve, reject) => other.once("error", reject).listen(handle, backlog, resolve));
      return other;
    }),
  );
  const close = server.close;
  // Each server waits only for the connections that it accepted itself, so closing has to wait for all servers.
  server.close = (callback) => {
    const closed = Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))));
    return close.call(server, (error) => void closed.then(() => callback?.(error)));
  };
}

/** An internal of Node: a listening descriptor without a server. */
interface Handle {
  close(): void;
}

/** Node can duplicate a descriptor only by sending it to another process. */
async function copiesOf(server: Server, count: number): Promise<readonly Handle[]> {
  const handles: Handle[] = [];
  if (count < 1) return handles;
  // Sending the server would make the other process accept connections; sending its handle does not.
  const { _handle: handle } = server as unknown as { _handle: Server };
  const other = spawn(process.execPath, ["-e", copier], { stdio: ["ignore", "ignore", "ignore", "ipc"], env: {} });
  try {
    const copied = new Promise<void>((resolve, reject) => {
      other
        .once("error", reject)
        .once("exit", () => reject(new Error("the process that copies descriptors has ended")));
      other.on("message", (_message, copy) => {
        if (handles.push(copy as Handle) === count) resolve();
      });
    });
    other.send(count, handle, { keepOpen: true });
    await within(copyMs, copied);
    return handles;
  } catch (error) {
    // An open copy would keep the port in use after the server has closed.
    for (const handle of handles) handle.close();
    throw error;
  } finally {
    // Until the process ends, it has a copy of the descriptor, and clients could still connect after `server.close`.
    if (other.kill("SIGKILL")) await once(other, "exit");
  }
}
