import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { says } from "../inbox/erasure-support.ts";
import { type Answer, request, type Served, serve } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly body: string;
  readonly type: string;
  readonly data: Answer["json"];
}

type Answering = (received: Received, response: ServerResponse) => unknown;

const ok: Answering = (_, response) => void response.writeHead(200).end("ok");

/** A receiver of a business's webhooks. */
export class Receiver {
  answering: Answering = ok;
  private readonly taken: Received[] = [];
  private failure: Error | undefined;

  private constructor(private readonly served: Served) {}

  static async start(): Promise<Receiver> {
    const served = await serve((incoming, response) => {
      receiver.take(incoming, response).catch((error: Error) => {
        if (incoming.complete) receiver.failure ??= error;
        response.destroy();
      });
    });
    const receiver = new Receiver(served);
    return receiver;
  }

  /** The deliveries so far. Throws if one could not be read or answered. */
  get received(): readonly Received[] {
    if (this.failure) throw this.failure;
    return this.taken;
  }

  get url(): string {
    return `${this.served.url}/hook`;
  }

  get texts(): string[] {
    return this.received.map(({ data }) => data.mensaje?.texto);
  }

  takes(): void {
    this.answering = ok;
  }

  refuses(status: number, body = "no"): void {
    this.answering = (_, response) => void response.writeHead(status).end(body);
  }

  /** Waits until this many deliveries have arrived in total. Returns the last of these. */
  async gets(count: number): Promise<Received> {
    await eventually(() => this.received.length >= count, 8_000);
    return this.received[count - 1] as Received;
  }

  close(): Promise<void> {
    return this.served.close();
  }

  private async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const { type, data } = JSON.parse(body);
    const received = { headers: incoming.headers, body, type, data };
    this.taken.push(received);
    await this.answering(received, response);
  }
}

export interface Hook {
  readonly id: number;
  readonly secret: string;
}

/** A world with receivers. Each test creates its own webhooks, and `clear` removes them afterwards. */
export class Hooks {
  private readonly receivers: Receiver[] = [];
  private said = 0;

  private constructor(
    readonly world: World,
    private readonly session: string,
    private readonly foreignSession: string,
  ) {}

  static async start(settings: Parameters<typeof startWorld>[0] = {}): Promise<Hooks> {
    const world = await startWorld({
      businesses: [aBusiness(1), aBusiness(2)],
      ...settings,
      environment: { ALLOW_PRIVATE_WEBHOOK_URLS: "true", ...settings.environment },
    });
    return new Hooks(world, await world.sessionToken(101), await world.sessionToken(201));
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.closeReceivers();
  }

  async clear(): Promise<void> {
    await this.world.rows("delete from webhooks");
    await this.world.rows("delete from webhook_events");
    await this.closeReceivers();
  }

  async receiver(): Promise<Receiver> {
    const receiver = await Receiver.start();
    this.receivers.push(receiver);
    return receiver;
  }

  /** Sends a request as an administrator of business 1, or of business 2 if its id is given. */
  ask(method: string, path: string, body?: unknown, businessId = 1): Promise<Answer> {
    const token = businessId === 1 ? this.session : this.foreignSession;
    const headers = { authorization: `Bearer ${token}` };
    return request(`${this.world.api}/admin/webhooks${path}`, { method, headers, ...(body !== undefined && { body }) });
  }

  async hook(url: string, events: readonly string[] = ["message.new"], businessId = 1): Promise<Hook> {
    const made = await this.ask("POST", "", { url, events }, businessId);
    if (made.status !== 201) throw new Error(made.text);
    return made.json;
  }

  /** Sends a customer's message and waits until it is stored. Each phone number has a chat of its own. */
  async says(body: string, from = "59170000999"): Promise<void> {
    this.said += 1;
    const id = `wamid.hooks-${this.said}`;
    const answer = await this.world.webhook(says(from, "Carla", body, id));
    if (answer.status !== 200) throw new Error(answer.text);
    const stored = "select from messages where platform_message_id = $1";
    await eventually(async () => (await this.world.rows(stored, [id])).length > 0);
  }

  async deliveries(hook: Hook, query = ""): Promise<Answer["json"][]> {
    return (await this.ask("GET", `/${hook.id}/deliveries${query}`)).json.data;
  }

  /** Waits until the newest delivery matches. */
  async newest(hook: Hook, isSo: (delivery: Answer["json"]) => boolean): Promise<Answer["json"]> {
    return eventually(async () => (await this.deliveries(hook)).slice(0, 1).find(isSo), 8_000);
  }

  async makeDue(): Promise<void> {
    await this.world.rows("update webhook_deliveries set due_at = now() where state = 'waiting'");
    this.nudge();
  }

  nudge(): void {
    resolve(this.world.container, tokens.deliveryLoop).nudge();
  }

  private async closeReceivers(): Promise<void> {
    await Promise.all(this.receivers.splice(0).map((receiver) => receiver.close()));
  }
}
