import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Sandbox, type SandboxAccount, type SandboxSettings, startSandbox } from "../../src/sandbox/sandbox.ts";

export const appSecret = "app-secret";
export const customer = "59170000001";

const body = (text: string) => ({ type: "BODY", text });

export const anAccount = (changes: Partial<SandboxAccount> = {}): SandboxAccount => ({
  token: "token-1",
  accountId: "1001",
  phoneNumberId: "2001",
  displayPhoneNumber: "15550000001",
  templates: [
    {
      name: "order_ready",
      language: "es",
      status: "APPROVED",
      category: "UTILITY",
      components: [body("{{1}}: {{2}}")],
    },
    { name: "plain", language: "es", status: "APPROVED", category: "UTILITY", components: [body("Hola")] },
    { name: "named", language: "es", status: "APPROVED", components: [body("{{name}}, {{day}} {{name}}")] },
    { name: "offer", language: "es", status: "APPROVED", category: "MARKETING", components: [body("Oferta")] },
    {
      name: "photo",
      language: "es",
      status: "APPROVED",
      components: [{ type: "HEADER", format: "IMAGE" }, body("Mira")],
    },
    {
      name: "link",
      language: "es",
      status: "APPROVED",
      components: [
        { type: "HEADER", format: "TEXT", text: "Para {{1}}" },
        body("Aqui"),
        { type: "BUTTONS", buttons: [{ type: "URL", text: "Ver", url: "https://example.org/{{1}}" }] },
      ],
    },
    { name: "paused", language: "es", status: "PAUSED", components: [body("Hola")] },
    { name: "disabled", language: "es", status: "DISABLED", components: [body("Hola")] },
    { name: "pending", language: "es", status: "PENDING", components: [body("Hola")] },
  ],
  ...changes,
});

interface Received {
  readonly path: string;
  readonly raw: Buffer;
  readonly signature: string;
  readonly payload: WebhookPayload;
}

interface WireStatus {
  readonly id: string;
  readonly status: string;
  readonly timestamp: string;
  readonly recipient_id: string;
  readonly biz_opaque_callback_data?: string;
  readonly errors?: readonly { code: number; title: string }[];
}

export interface Messaging {
  readonly sender: { readonly id: string };
  readonly recipient: { readonly id: string };
  readonly timestamp: number;
  readonly message?: Record<string, unknown>;
  readonly reaction?: object;
  readonly postback?: object;
  readonly referral?: object;
  readonly delivery?: { readonly mids: readonly string[]; readonly watermark: number };
  readonly read?: { readonly mid?: string; readonly watermark?: number };
}

interface WebhookPayload {
  readonly object: string;
  readonly entry: readonly {
    readonly id: string;
    /** For pages and photo accounts. */
    readonly messaging?: readonly Messaging[];
    readonly changes: readonly {
      readonly field: string;
      readonly value: {
        readonly metadata: object;
        readonly statuses?: readonly WireStatus[];
        readonly messages?: readonly Record<string, unknown>[];
        readonly contacts?: readonly unknown[];
        readonly user_preferences?: readonly Record<string, unknown>[];
      };
    }[];
  }[];
}

/** `answer` gives the status for the nth webhook. `taken` contains the webhooks that were answered with 200. */
export class Receiver {
  readonly received: Received[] = [];
  readonly taken: Received[] = [];
  answer: (nth: number) => number = () => 200;
  /** Paths that are always answered with 503. */
  refuses: (path: string) => boolean = () => false;
  private readonly events = new EventEmitter();
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const signature = String(request.headers["x-hub-signature-256"]);
      const one = { path: request.url ?? "", raw, signature, payload: JSON.parse(raw.toString()) as WebhookPayload };
      this.received.push(one);
      const status = this.refuses(one.path) ? 503 : this.answer(this.received.length);
      if (status === 200) this.taken.push(one);
      response.writeHead(status).end();
      this.events.emit("received");
    });
  });

  async start(): Promise<string> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return `${this.url}/webhooks/cloud`;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Waits until `enough` is true. After 4 s, it throws an error that contains the taken webhooks. */
  async until(enough: () => boolean): Promise<void> {
    const signal = AbortSignal.timeout(4_000);
    while (!enough()) {
      await once(this.events, "received", { signal }).catch(() => {
        throw new Error(`not enough webhooks arrived: ${JSON.stringify(this.taken.map(({ payload }) => payload))}`);
      });
    }
  }

  changes(): WebhookPayload["entry"][number]["changes"][number][] {
    return this.taken.flatMap(({ payload }) => payload.entry.flatMap(({ changes }) => changes ?? []));
  }

  statuses(): WireStatus[] {
    return this.changes().flatMap(({ value }) => value.statuses ?? []);
  }

  messages(): Record<string, unknown>[] {
    return this.changes().flatMap(({ value }) => value.messages ?? []);
  }

  /** Webhooks of pages and photo accounts. */
  messaging(): Messaging[] {
    return this.taken.flatMap(({ payload }) => payload.entry.flatMap(({ messaging }) => messaging ?? []));
  }

  /** The statuses of a message in the order of their arrival. */
  of(id: string): string[] {
    return this.statuses().flatMap((status) => (status.id === id ? [status.status] : []));
  }
}

interface Reply<Body = Record<string, unknown>> {
  readonly status: number;
  readonly body: Body;
}

/** A sandbox, the receiver of its webhooks, and methods that send requests to the sandbox. */
export class Bench {
  private constructor(
    readonly sandbox: Sandbox,
    readonly receiver: Receiver,
  ) {}

  static async start(settings: Partial<SandboxSettings> = {}): Promise<Bench> {
    const receiver = new Receiver();
    const webhook = { url: await receiver.start(), appSecret };
    const defaults = { port: 0, host: "127.0.0.1", accounts: [anAccount()], statusDelayMs: 1, webhook };
    return new Bench(await startSandbox({ ...defaults, ...settings }), receiver);
  }

  async stop(): Promise<void> {
    await this.sandbox.close();
    this.receiver.stop();
  }

  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<Body>> {
    const response = await fetch(`${this.sandbox.url}${path}`, {
      method,
      headers: { authorization: "Bearer token-1", ...headers },
      signal: AbortSignal.timeout(4_000),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  send(changes: Record<string, unknown> = {}, phoneNumberId = "2001"): Promise<Reply> {
    return this.call("POST", `/v23.0/${phoneNumberId}/messages`, aMessage(changes));
  }

  /** Sends a message that must be accepted. Returns its id. */
  async sent(changes: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await this.send(changes);
    const [message] = (body.messages ?? []) as { id: string }[];
    if (status !== 200 || !message) throw new Error(`not accepted: ${JSON.stringify(body)}`);
    return message.id;
  }

  control<Body = Record<string, unknown>>(method: string, path = "", body?: unknown): Promise<Reply<Body>> {
    return this.call<Body>(method, `/__sandbox${path}`, body);
  }

  async accepted(query = ""): Promise<Record<string, unknown>[]> {
    return (await this.control<Record<string, unknown>[]>("GET", `/messages${query}`)).body;
  }
}

export const aMessage = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  messaging_product: "whatsapp",
  recipient_type: "individual",
  to: customer,
  type: "template",
  template: template("plain"),
  ...changes,
});

export const template = (name: string, components: unknown[] = [], language = "es") => ({
  name,
  language: { code: language },
  components,
});

export const texts = (...values: unknown[]) => values.map((text) => ({ type: "text", text }));
