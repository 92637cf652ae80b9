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
import { eventually } from "../support/wait.ts";
import { appSecret, aTemplate } from "../support/world.ts";
import { type Front, openFront } from "./front.ts";

export const businessId = 1;
export const templateId = 101;
const vip = { id: 101, name: "VIP" };
/** Of the agent of `aBusiness`. */
const agentId = 102;

/** Short, so that a message of a killed process is soon given up; still longer than any answer takes here. */
const leaseSeconds = "2";
/** Milliseconds: less than the lease. */
const platformTimeoutMs = "1500";

/** The service as a process that is killed and started again, over one database and one platform that live on. */
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
   * Resolves once the process is gone.
   * @param holding - platforms wait for the next process, as behind a patient balancer; else they are refused
   */
  async kill({ holding = false } = {}): Promise<void> {
    if (holding) this.front.hold();
    await this.process.kill();
  }

  /** Another process takes its place, behind the address that the platforms know. */
  async startAgain(): Promise<void> {
    this.process = await startOn(this.stage, this.front);
  }

  /** Sends the template; the status of the answer, or `null` when the connection broke without one. */
  send(phone: string): Promise<number | null> {
    const parameters = ["Carla", phone];
    const body = { empresa_id: businessId, phone_number: phone, plantilla_id: templateId, parameters };
    return this.post("/chats/enviar/plantilla/business", { "x-api-key": this.stage.appKey(businessId) }, body);
  }

  /** Answers in the chat as an agent, under a key; returns as `send` does. */
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
   * Sends a CSV file of contacts; the last line of the answer, or `null` when the connection broke without one.
   *
   * @param leave - more of the file is awaited in vain until this resolves; then the client is gone
   */
  async import(file: string, { leave }: { readonly leave?: () => Promise<unknown> } = {}): Promise<Imported | null> {
    const sending = request(`${this.process.url}/contacts/import`, {
      method: "POST",
      headers: { "x-api-key": this.stage.appKey(businessId), "content-type": "text/csv" },
    });
    const answer = once(sending, "response").then(async ([response]) => (await text(response)).trim().split("\n"));
    sending.write(file);
    if (!leave) sending.end();
    // Destroying it is an error of its own, besides the one that `once` hears.
    sending.on("error", () => {});
    const left = leave?.().then(() => sending.destroy(new Error("the client is gone")));
    const lines = await answer.catch(() => null);
    await left;
    const last = lines && JSON.parse(lines.at(-1) || "{}");
    return last && "refused_csv" in last ? last : null;
  }

  /** With an App Key that may administer; throws for an answer that is no success. */
  async administer<Result>(method: string, path: string, body?: object): Promise<Result> {
    await this.rows("update app_keys set scopes = '{read,send,orders,admin}' where not 'admin' = any(scopes)");
    const headers = { "x-api-key": this.stage.appKey(businessId) };
    const send = () => ask(this.process.url + path, { method, headers, body });
    // The process may remember for a moment what the key was allowed before.
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

/** How an import ended. */
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
  const process = await stage.service("src", {
    MESSAGE_LEASE_SECONDS: leaseSeconds,
    MESSAGING_PLATFORM_TIMEOUT_MS: platformTimeoutMs,
    // A receiver of events is on this machine, which production refuses.
    NODE_ENV: "test",
    ALLOW_PRIVATE_WEBHOOK_URLS: "true",
    PUBLIC_URL: front.url,
  });
  front.leadTo(process.url);
  return process;
}

/** What came of a scenario: figures to print, and what should not have happened. */
export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}
