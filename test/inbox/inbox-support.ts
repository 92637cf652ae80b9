import { expect } from "chai";
import type { ThreadFixture } from "../../src/fixtures/businesses/business.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, aThread, startWorld, type World } from "../support/world.ts";

/** Users of business 1: an administrator, ana and bea of Ventas, and carl of Soporte. Only ana is available. */
export const people = { admin: 101, ana: 102, bea: 103, carl: 104 } as const;
export const sales = 101;
export const support = 102;

/** Business 1 with a small inbox, another business, and requests for the tests. */
export class Inbox {
  private readonly tokens = new Map<number, string>();
  private nextPhone = 1;

  constructor(readonly world: World) {}

  static async start(threads: readonly ThreadFixture[] = []): Promise<Inbox> {
    const world = await startWorld({
      businesses: [
        aBusiness(1, {
          users: [
            { id: 101, name: "Ada Admin", email: "admin@b1.test", roleId: 1, available: false },
            { id: 102, name: "Ana Agente", email: "ana@b1.test", roleId: 5, available: true },
            { id: 103, name: "Bea Agente", email: "bea@b1.test", roleId: 5, available: false },
            { id: 104, name: "Carl Agente", email: "carl@b1.test", roleId: 5, available: false },
          ],
          departments: [
            { id: sales, name: "Ventas", agentIds: [102, 103] },
            { id: support, name: "Soporte", agentIds: [104] },
          ],
          tags: [
            { id: 101, name: "VIP" },
            { id: 102, name: "Reclamo" },
          ],
          templates: [aTemplate(101), aTemplate(102, { status: "PENDING" })],
          threads: [aThread(101), ...threads],
        }),
        aBusiness(2, { tags: [{ id: 201, name: "VIP" }] }),
      ],
    });
    return new Inbox(world);
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  /** Adds a step of business 1 that opens tickets of the department. */
  async addTicketStep(id: number, departmentId: number): Promise<void> {
    const text =
      "insert into steps (business_id, id, name, identifier, type, department_id) values (1, $1, 'Paso', 'paso', 'ticket', $2)";
    await this.world.rows(text, [id, departmentId]);
  }

  async headersOf(userId: number | "key" | "foreign"): Promise<Record<string, string>> {
    if (userId === "key") return { "x-api-key": this.world.appKey(1) };
    if (userId === "foreign") return { "x-api-key": this.world.appKey(2) };
    const token = this.tokens.get(userId) ?? (await this.world.sessionToken(userId));
    this.tokens.set(userId, token);
    return { authorization: `Bearer ${token}` };
  }

  async ask(who: number | "key" | "foreign", method: string, path: string, body?: unknown): Promise<Answer> {
    return request(this.world.api + path, { method, headers: await this.headersOf(who), ...(body ? { body } : {}) });
  }

  /** Expects 200 or 201. Returns the body. */
  async done(who: number | "key" | "foreign", method: string, path: string, body?: unknown): Promise<Answer["json"]> {
    const answer = await this.ask(who, method, path, body);
    expect(answer.status, `${method} ${path}: ${answer.text}`).to.be.oneOf([200, 201]);
    return answer.json;
  }

  async refused(
    status: number,
    code: string,
    who: number | "key" | "foreign",
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer["json"]> {
    const answer = await this.ask(who, method, path, body);
    expect([answer.status, answer.json.code], `${method} ${path}: ${answer.text}`).to.deep.equal([status, code]);
    return answer.json;
  }

  /** Lets a customer write, a new one unless `phone` is given. Resolves when the message is stored. */
  async customerWrites(text: string, phone = this.newPhone()): Promise<{ chatId: number; phone: string }> {
    const said = { text, to: "number-1", name: `Cliente ${phone.slice(-4)}` };
    const { id } = await this.world.control("POST", `/customers/${phone}/say`, said);
    const chatId = await this.stored(id);
    return { chatId, phone };
  }

  newPhone(): string {
    this.nextPhone += 1;
    return `59178${String(this.nextPhone).padStart(6, "0")}`;
  }

  private async stored(platformMessageId: string): Promise<number> {
    const { chat_id } = await eventually(async () => {
      const sql = "select chat_id from messages where business_id = 1 and platform_message_id = $1";
      return (await this.world.rows<{ chat_id: number }>(sql, [platformMessageId]))[0];
    });
    return chat_id;
  }

  chat(who: number | "key", chatId: number): Promise<Answer["json"]> {
    return this.done(who, "GET", `/chats/${chatId}`);
  }

  async flag(name: string, value: string | null): Promise<void> {
    await this.world.rows(
      value === null
        ? "update businesses set feature_flags = feature_flags - $1 where id = 1"
        : "update businesses set feature_flags = feature_flags || jsonb_build_object($1::text, $2::text) where id = 1",
      value === null ? [name] : [name, value],
    );
  }

  /** The messages to this number that the platform has accepted, oldest first. */
  async sentTo(phone: string): Promise<Answer["json"][]> {
    const sent = await this.world.control("GET", "/messages");
    return sent.filter((message: { to: string }) => message.to === phone);
  }
}
