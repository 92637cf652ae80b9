import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { Queries } from "../../src/infra/postgres/database.ts";
import { Database } from "../../src/infra/postgres/database.ts";
import { load, type Shot } from "../bench/load.ts";
import type { OwnProcess } from "../bench/processes.ts";
import { openStage, type Stage } from "../bench/stage.ts";
import { connectChannels, onEveryChannel } from "../support/channels.ts";
import { request as ask } from "../support/http.ts";
import { testedFrom } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { appSecret, aTemplate } from "../support/world.ts";
import { type Front, openFront } from "./front.ts";

export const businessId = 1;
export const templateId = 101;
const vip = { id: 101, name: "VIP" };
/** An agent of `aBusiness`. */
const agentId = 102;

/** The lease is short, so that messages of a killed process soon become `unknown`. */
const leaseSeconds = "2";
/** The timeout must be shorter than the lease, but longer than the platform takes to answer. */
const platformTimeoutMs = "1500";

/** A service process that is killed and restarted, while its database and its platform keep running. */
export class Victim {
  private constructor(
    private readonly stage: Stage,
    private readonly database: Database,
    private readonly agentToken: string,
    private readonly front: Front,
    private process: OwnProcess,
  ) {}

  static async start(databaseUrl: string): Promise<Victim> {
    const business = onEveryChannel(businessId, { templates: [aTemplate(templateId)], threads: [], tags: [vip] });
    const stage = await openStage({ databaseUrl, businesses: [business], statusDelayMs: 20 });
    const settings = { url: databaseUrl, poolSize: 2, statementTimeoutMs: 10_000, connectTimeoutMs: 5_000 };
    const database = Database.open(settings, () => {});
    const front = await openFront();
    try {
      const process = await startOn(stage, front);
      await stage.control("POST", "/webhook", { url: `${front.url}/webhooks/cloud`, appSecret });
      await connectChannels({ ...stage, api: front.url }, [business]);
      return new Victim(stage, database, await stage.sessionToken(agentId), front, process);
    } catch (error) {
      await Promise.all([database.close(), stage.close(), front.close()]);
      throw error;
    }
  }

  /**
   * Resolves when the process has ended.
   * @param holding - if true, new connections of the platforms wait for the next process; otherwise they are closed
   */
  async kill({ holding = false } = {}): Promise<void> {
    if (holding) this.front.hold();
    await this.process.kill();
  }

  /** Starts another process behind the same address. */
  async startAgain(): Promise<void> {
    this.process = await startOn(this.stage, this.front);
  }

  /** Sends the template. Returns the status, or `null` if the connection broke. */
  send(phone: string): Promise<number | null> {
    const parameters = ["Carla", phone];
    const body = { empresa_id: businessId, phone_number: phone, plantilla_id: templateId, parameters };
    return this.post("/chats/enviar/plantilla/business", { "x-api-key": this.stage.appKey(businessId) }, body);
  }

  /** Answers in the chat with an Idempotency-Key. Returns the status, or `null` if the connection broke. */
  answer(chatId: number, key: string): Promise<number | null> {
    const headers = { authorization: `Bearer ${this.agentToken}`, "idempotency-key": key };
    return this.post(`/chats/${chatId}/messages`, headers, { texto: `Respuesta ${key}` });
  }

  private async post(path: string, headers: Shot["headers"], body: object): Promise<number | null> {
    const shot = { path, headers, body: JSON.stringify(body) };
    let answered: number | null = null;
    const isRight = (status: number) => {
      answered = status;
      return true;
    };
    await load({ url: this.process.url, connections: 1, requests: 1, next: () => shot, isRight }).catch(() => {});
    return answered;
  }

  /**
   * Imports a CSV file of contacts. Returns the last line of the answer, or `null` if the answer is incomplete.
   *
   * @param leave - the client keeps the upload open until this resolves, and then disconnects
   */
  async import(file: string, { leave }: { readonly leave?: () => Promise<unknown> } = {}): Promise<Imported | null> {
    const sending = request(`${this.process.url}/contacts/import`, {
      method: "POST",
      headers: { "x-api-key": this.stage.appKey(businessId), "content-type": "text/csv" },
    });
    const answer = once(sending, "response").then(async ([response]) => (await text(response)).trim().split("\n"));
    sending.write(file);
    if (!leave) sending.end();
    // Destroying the request raises an error that nothing else handles.
    sending.on("error", () => {});
    const left = leave?.().then(() => sending.destroy(new Error("the client is gone")));
    const lines = await answer.catch(() => null);
    await left;
    const last = lines && JSON.parse(lines.at(-1) || "{}");
    return last && "refused_csv" in last ? last : null;
  }

  /** Sends a request with an App Key that has the scope `admin`. Throws for an error status. */
  async administer<Result>(method: string, path: string, body?: object): Promise<Result> {
    await this.rows("update app_keys set scopes = '{read,send,orders,admin}' where not 'admin' = any(scopes)");
    const headers = { "x-api-key": this.stage.appKey(businessId) };
    const send = () => ask(this.process.url + path, { method, headers, body });
    // The process may still have the key's former scopes in its cache, so the request is repeated after a 403.
    const answer = await eventually(async () => {
      const given = await send();
      return given.status !== 403 && given;
    }, 15_000).catch(send);
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.json;
  }

  control<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    return this.stage.control<Result>(method, path, body);
  }

  counts(): Promise<SandboxCounts> {
    return this.control<SandboxCounts>("GET", "/messages/count");
  }

  rows<Row extends object>(sql: string): Promise<Row[]> {
    return (this.database as Queries).rows<Row>({ name: "", text: sql }, []);
  }

  async close(): Promise<void> {
    await this.process.kill();
    await this.front.close();
    await this.stage.close();
    await this.database.close();
  }
}

export interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface SandboxCounts {
  readonly accepted: number;
  readonly requests: number;
  readonly duplicates: number;
}

async function startOn(stage: Stage, front: Front): Promise<OwnProcess> {
  const process = await stage.service(testedFrom, {
    MESSAGE_LEASE_SECONDS: leaseSeconds,
    MESSAGING_PLATFORM_TIMEOUT_MS: platformTimeoutMs,
    // `ALLOW_PRIVATE_WEBHOOK_URLS` permits webhook receivers on this machine. The service refuses it in production.
    NODE_ENV: "test",
    ALLOW_PRIVATE_WEBHOOK_URLS: "true",
    PUBLIC_URL: front.url,
  });
  front.forwardTo(process.url);
  return process;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}
