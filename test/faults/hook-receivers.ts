import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { type Served, serve } from "../support/http.ts";

/** An endpoint's events and behaviour. */
export interface Part {
  readonly manner: "takes" | "hangs" | "fails" | "gone" | "redirects";
  readonly events: readonly string[];
}

/** The first delivery of an event to an endpoint. */
export interface Took {
  readonly id: string;
  readonly subject: string;
  readonly number: number;
  /** Milliseconds from the start of the transaction that logged the event until the delivery. */
  readonly delayMs: number;
}

/** A receiver of webhooks that verifies the first delivery of each event as the documentation says. */
export class Endpoint {
  readonly took: Took[] = [];
  asked = 0;
  repeats = 0;
  /** Describes each first delivery with a wrong signature, and each repeat whose body differs from the first one. */
  readonly wrong: string[] = [];
  /** Whether a failing endpoint works again. */
  isWell = false;
  webhookId = 0;
  private verifier: Webhook | undefined;
  private readonly bodies = new Map<string, string>();

  constructor(
    readonly part: Part,
    readonly url: string,
  ) {}

  opens(webhookId: number, secret: string): void {
    this.webhookId = webhookId;
    this.verifier = new Webhook(secret);
  }

  /** Returns the status of the answer, or null for no answer. */
  take(headers: IncomingHttpHeaders, body: string): number | null {
    this.asked += 1;
    const { manner } = this.part;
    if (manner === "hangs") return null;
    if (manner === "gone") return 410;
    if (manner === "redirects") return 307;
    if (manner === "fails" && !this.isWell) return 503;
    this.keep(headers, body);
    return 200;
  }

  private keep(headers: IncomingHttpHeaders, body: string): void {
    const id = String(headers["webhook-id"]);
    const known = this.bodies.get(id);
    if (known !== undefined) {
      this.repeats += 1;
      if (known !== body) this.wrong.push(`${id} came with another body`);
      return;
    }
    this.bodies.set(id, body);
    try {
      this.verifier?.verify(body, headers as Record<string, string>);
    } catch (error) {
      this.wrong.push(`${id}: ${error}`);
    }
    const { type, timestamp, data } = JSON.parse(body);
    const subject = type === "order.changed" ? `order ${data.id}` : `chat ${data.chat_id}`;
    const delayMs = Date.now() - Date.parse(timestamp);
    this.took.push({ id, subject, number: data.seq, delayMs });
  }
}

/** All endpoints of a business, and an internal URL to which one of them redirects. */
export class Endpoints {
  /** The number of requests to the internal URL. There must be none. */
  followed = 0;
  private constructor(
    private readonly served: Served,
    readonly all: readonly Endpoint[],
  ) {}

  static async start(parts: readonly Part[]): Promise<Endpoints> {
    const served = await serve((request, response) => void endpoints.answer(request, response));
    const all = parts.map((part, place) => new Endpoint(part, `${served.url}/hook/${place}`));
    const endpoints = new Endpoints(served, all);
    return endpoints;
  }

  of(manner: Part["manner"]): Endpoint {
    const found = this.all.find(({ part }) => part.manner === manner);
    if (!found) throw new Error(`no endpoint ${manner}`);
    return found;
  }

  close(): Promise<void> {
    return this.served.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = /^\/hook\/(\d+)$/.exec(request.url ?? "")?.[1];
    // A killed process may leave an incomplete body.
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const endpoint = place === undefined ? undefined : this.all[Number(place)];
    if (!endpoint) this.followed += 1;
    const status = endpoint ? endpoint.take(request.headers, body) : 200;
    if (status === null) return;
    response.writeHead(status, status === 307 ? { location: `${this.served.url}/inside` } : {}).end();
  }
}
