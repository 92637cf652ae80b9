import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { ThreadFixture } from "../../src/fixtures/businesses/business.ts";
import { formOf, multipart, png } from "../messaging/media-files.ts";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, aWebhook, startWorld, type World } from "../support/world.ts";

/** Two businesses and a store for files, with requests and checks for the tests of erasures. */
export class Erasures {
  private constructor(
    readonly world: World,
    /** The folder of the stored files. */
    readonly directory: string,
  ) {}

  static async start(threads: readonly ThreadFixture[] = []): Promise<Erasures> {
    const directory = await mkdtemp(join(tmpdir(), "recado-erase-"));
    const world = await startWorld({
      businesses: [aBusiness(1, { threads, tags: [{ id: 101, name: "VIP" }] }), aBusiness(2)],
      environment: { MEDIA_DIR: directory, MEDIA_BASE_URL: "https://media.test/media/" },
    });
    return new Erasures(world, directory);
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Sends a request with the App Key of business 1. */
  call(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    return request(this.world.api + path, {
      method,
      ...(body !== undefined && { body }),
      headers: { "x-api-key": this.world.appKey(1), ...headers },
    });
  }

  /** Imports contacts from a CSV text. Returns the last line of the answer, which has the final counts. */
  async import(rawBody: string): Promise<Answer["json"]> {
    const { text } = await request(`${this.world.api}/contacts/import`, {
      method: "POST",
      rawBody,
      headers: { "x-api-key": this.world.appKey(1), "content-type": "text/csv" },
    });
    return JSON.parse(text.trim().split("\n").at(-1) ?? "");
  }

  /** Stores a file. Returns its URL. */
  async upload(size: number): Promise<string> {
    const answer = await request(`${this.world.api}/media`, {
      method: "POST",
      rawBody: formOf({ content: png(size) }),
      headers: { ...multipart, "x-api-key": this.world.appKey(1) },
    });
    return answer.json.media_url;
  }

  /** The tables with a row that contains the text. */
  async holding(text: string): Promise<string[]> {
    const tables = await this.world.rows<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const sql = `select from ${name} as held where strpos(held::text, $1) > 0 limit 1`;
      if ((await this.world.rows(sql, [text])).length > 0) found.push(name);
    }
    return found;
  }

  /** Ends all erasures, as if the time for late imports had passed. */
  async endNow(): Promise<void> {
    await this.world.rows("update contact_erasures set completed_at = now() - interval '1 hour'");
    await this.completeNow();
  }

  /** Makes the remaining work of all erasures due, and does it. */
  async completeNow(): Promise<void> {
    await this.world.rows("update contact_erasures set due_at = now()");
    await resolve(this.world.container, tokens.eraseContact).complete();
  }
}

export const fileIn = (url: string): string => url.split("/").at(-1) ?? "";

/** The platform's webhook about a customer's message. */
export const says = (from: string, name: string, text: string, wamid: string, referral?: object): object =>
  aWebhook(1, {
    contacts: [{ wa_id: from, profile: { name } }],
    messages: [
      {
        ...{ from, id: wamid, timestamp: String(Math.floor(Date.now() / 1000)), type: "text", text: { body: text } },
        ...(referral && { referral }),
      },
    ],
  });
