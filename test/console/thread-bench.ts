import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { ThreadFixture } from "../../src/fixtures/businesses/business.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";
import { buildConsole, demandBrowser, launch, type Seat, seatOf } from "./browser.ts";

export const [admin, ana] = [101, 102];

const users = [
  { id: admin, name: "Ada Admin", email: "admin@b1.test", roleId: 1, available: false },
  { id: ana, name: "Ana Agente", email: "agent@b1.test", roleId: 5, available: true },
];

/** Of 9 by 6. */
export const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAGCAIAAACepSOSAAAAFUlEQVR4nGP4z8BAEKI8JIEGEoAKACT2DPQVcQLXAAAAAElFTkSuQmCC",
  "base64",
);

export const thread = (page: Page) => page.getByRole("log", { name: "Mensajes" });
export const composer = (page: Page) => page.getByRole("textbox", { name: "Mensaje" });
export const sendButton = (page: Page) => page.getByRole("button", { name: "Enviar", exact: true });

/** Agents at the threads of one business, and its customers. The world is there once the suite has begun. */
export class ThreadBench {
  world!: World;
  private browser: Browser | undefined;
  private folder: string | undefined;
  private readonly seats: Seat[] = [];

  constructor(private readonly threads: readonly ThreadFixture[]) {}

  async start(suite: Mocha.Context): Promise<void> {
    demandBrowser(suite);
    buildConsole();
    this.folder = await mkdtemp(join(tmpdir(), "recado-threads-"));
    const templates = [
      aTemplate(101, { name: "Pedido listo" }),
      aTemplate(102, { name: "Sin aprobar", status: "PENDING" }),
    ];
    this.world = await startWorld({
      businesses: [aBusiness(1, { users, threads: this.threads, templates })],
      environment: { MEDIA_DIR: this.folder, MEDIA_BASE_URL: "https://media.test/media/" },
    });
    this.browser = await launch();
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await this.world?.stop();
    if (this.folder) await rm(this.folder, { recursive: true });
  }

  async leave(): Promise<void> {
    for (const { context } of this.seats.splice(0)) await context.close();
  }

  async seat(userId: number, view: string, at?: string): Promise<Page> {
    if (!this.browser) throw new Error("the suite has not begun");
    const opened = await seatOf(this.browser, this.world, userId, view, at);
    this.seats.push(opened);
    return opened.page;
  }

  does(what: "say" | "react", chat: number, body: object): Promise<{ id: string }> {
    return this.world.control("POST", `/customers/${phoneOf(chat)}/${what}`, { to: "number-1", ...body });
  }

  says(chat: number, text: string): Promise<{ id: string }> {
    return this.does("say", chat, { text });
  }

  /** How many messages with this text the customer of the chat has got. */
  async received(chat: number, text: string): Promise<number> {
    const messages: object[] = await this.world.control("GET", `/messages?to=${phoneOf(chat)}`);
    return messages.filter((message) => JSON.stringify(message).includes(text)).length;
  }
}

const phoneOf = (chat: number): string => `5917000${String(chat).padStart(4, "0")}`;
