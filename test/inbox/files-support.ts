import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request, type Served, serve } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aWebhook, startWorld, type World } from "../support/world.ts";

export const mediaBase = "https://media.test/media/";

type Respond = (response: ServerResponse, request: IncomingMessage) => unknown;

/** The platform's endpoints for a file's URL and for the file. */
class FilePlatform {
  /** Paths and tokens of all requests. */
  readonly asked: { readonly path: string; readonly token: string | undefined }[] = [];
  private readonly files = new Map<string, Respond>();
  private readonly refusals = new Map<string, { readonly status: number; readonly code: number }>();

  private constructor(private readonly served: Served) {
    served.server.removeAllListeners("request");
    served.server.on("request", (request, response) => this.respond(request, response));
  }

  static async start(): Promise<FilePlatform> {
    return new FilePlatform(await serve((_, response) => response.end()));
  }

  get url(): string {
    return this.served.url;
  }

  stop(): Promise<void> {
    return this.served.close();
  }

  has(id: string, content: Buffer | Respond): void {
    this.files.set(id, Buffer.isBuffer(content) ? (response) => response.end(content) : content);
  }

  /** Refuses requests for the file and for its URL. `null` allows them again. */
  refuses(id: string, refusal: { readonly status: number; readonly code: number } | null): void {
    if (refusal) this.refusals.set(id, refusal);
    else this.refusals.delete(id);
  }

  timesServed(id: string): number {
    return this.asked.filter(({ path }) => path === `/files/${id}`).length;
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? "", this.url);
    this.asked.push({ path: pathname, token: request.headers.authorization });
    const id = pathname.split("/").at(-1) ?? "";
    const file = this.files.get(id);
    const refusal = this.refusals.get(id) ?? (file ? undefined : { status: 404, code: 100 });
    response.on("error", () => {});
    if (refusal) {
      response.writeHead(refusal.status).end(JSON.stringify({ error: { message: "refused", code: refusal.code } }));
    } else if (pathname.startsWith("/files/")) file?.(response, request);
    else response.end(JSON.stringify({ url: `${this.url}/files/${id}`, id }));
  }
}

/** A row of `incoming_files`. */
interface WaitingRow {
  readonly business_id: number;
  readonly message_id: number;
  readonly attempts: number;
  readonly error: string | null;
  readonly media_name: string | null;
}

/** A service that stores files, with a platform that serves them. */
export class Files {
  private last = 0;

  private constructor(
    readonly world: World,
    readonly platform: FilePlatform,
    private readonly directory: string,
  ) {}

  /** @param role - `api`: files are fetched only when the test says so */
  static async start(role: "all" | "api"): Promise<Files> {
    const directory = await mkdtemp(join(tmpdir(), "recado-files-"));
    const platform = await FilePlatform.start();
    const world = await startWorld({
      businesses: [1, 2, 3].map((id) => aBusiness(id)),
      environment: {
        ROLE: role,
        MEDIA_DIR: directory,
        MEDIA_BASE_URL: mediaBase,
        MESSAGING_PLATFORM_URL: platform.url,
      },
    });
    return new Files(world, platform, directory);
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.platform.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  newId(): string {
    this.last += 1;
    return `file-${this.last}`;
  }

  /** Lets a customer send a file. Returns the platform's message id. */
  async says(
    content: Readonly<Record<string, unknown>>,
    { type = "image", businessId = 1, from = "59171110001" } = {},
  ): Promise<string> {
    const id = `wamid.${this.newId()}`;
    const message = { from, id, timestamp: String(Math.floor(Date.now() / 1_000)), type, [type]: content };
    const told = aWebhook(businessId, { contacts: [{ wa_id: from, profile: { name: "Carla" } }], messages: [message] });
    expect((await this.world.webhook(told)).status).to.equal(200);
    return id;
  }

  /** The message in the API's format. */
  async message(wamid: string): Promise<Answer["json"]> {
    const sql = "select business_id, id, chat_id from messages where platform_message_id = $1";
    const { business_id, id, chat_id } = await eventually(async () => {
      return (await this.world.rows<{ business_id: number; id: number; chat_id: number }>(sql, [wamid]))[0];
    });
    const { json } = await this.world.get(`/chats/${chat_id}/messages?limit=100`, business_id);
    return json.data.find((each: { id: number }) => each.id === id);
  }

  /** Waits until the message's file is in this state. */
  messageIn(wamid: string, estado: "pendiente" | "listo" | "no_disponible"): Promise<Answer["json"]> {
    return eventually(async () => {
      const found = await this.message(wamid);
      return found?.detalles?.archivo?.estado === estado && found;
    });
  }

  /** The files that wait to be fetched. */
  waiting(): Promise<WaitingRow[]> {
    return this.world.rows<WaitingRow>("select * from incoming_files order by business_id, message_id");
  }

  /** Waits until a fetch of the only waiting file has failed and will be tried again. */
  postponed(): Promise<WaitingRow> {
    return eventually(async () => {
      const [row] = await this.world.rows<WaitingRow>(
        "select * from incoming_files where error is not null and lease_until is null and due_at > now()",
      );
      return row;
    });
  }

  /** Makes all waiting files due, and starts to fetch them. */
  async retryNow(): Promise<void> {
    await this.world.rows("update incoming_files set due_at = now(), lease_until = null");
    resolve(this.world.container, tokens.fetchFiles).nudge();
  }

  read(url: string): Promise<Answer> {
    return request(`${this.world.api}/media/${url.slice(mediaBase.length)}`);
  }

  /** The names of the stored files. */
  stored(): Promise<string[]> {
    return readdir(this.directory).catch(() => []);
  }
}
