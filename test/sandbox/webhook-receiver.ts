import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

interface Arrived {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Accepts webhooks in any format. `answer` gives the status for the nth webhook. */
export class WebhookReceiver {
  readonly arrived: Arrived[] = [];
  answer: (nth: number) => number = () => 200;
  url = "";
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      this.arrived.push({ url: `${this.url}${request.url}`, headers: request.headers, body });
      response.writeHead(this.answer(this.arrived.length)).end();
    });
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(0, "127.0.0.1");
    await once(receiver.server, "listening");
    receiver.url = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}`;
    return receiver;
  }

  clear(): void {
    this.arrived.length = 0;
    this.answer = () => 200;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
