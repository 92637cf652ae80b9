import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import type { CampaignQueue, SenderLease } from "../../src/messaging/application/campaigns/ports.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aNamedTemplate, aTemplate, aThread, startWorld, type World } from "../support/world.ts";

export const registerPath = "/chats/enviar/masivo/plantilla";
/** The number of contacts per business. Their ids start at 1001 in the first business. */
const contactsEach = 60;
const longestMs = 8_000;

export const contactId = (n: number, businessId = 1): number => businessId * 1_000 + n;

/** A business with tags, templates of many kinds and contacts. */
export const campaignBusiness = (id: number, changes: Partial<BusinessFixture> = {}): BusinessFixture => {
  const base = id * 100;
  const plain = { body: "Hola" };
  return aBusiness(id, {
    tags: [1, 2, 3].map((n) => ({ id: base + n, name: `Etiqueta ${n}` })),
    templates: [
      aTemplate(base + 1),
      aTemplate(base + 2, plain),
      aTemplate(base + 3, { ...plain, status: "PENDING" }),
      aTemplate(base + 4, { ...plain, deleted: true }),
      aTemplate(base + 5, { ...plain, listed: [] }),
      aNamedTemplate(base + 6),
    ],
    threads: Array.from({ length: contactsEach }, (_, index) =>
      aThread(contactId(index + 1, id), {
        phone: String(591_600_000_00 + id * 1_000 + index),
        name: `Cliente ${index}`,
      }),
    ),
    ...changes,
  });
};

export interface CampaignRequest {
  readonly [field: string]: unknown;
}

/** Actions for tests of campaigns. Each campaign writes to numbers of its own. */
export class CampaignWorld {
  private made = 0;

  private constructor(readonly world: World) {}

  static async start(
    businesses: readonly BusinessFixture[] = [campaignBusiness(1), campaignBusiness(2)],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<CampaignWorld> {
    const world = await startWorld({ businesses, environment });
    await world.rows("update senders set messages_per_second = 1000");
    return new CampaignWorld(world);
  }

  /** A valid body for contacts 1 to `count`. */
  body(count: number, changes: object = {}, businessId = 1): CampaignRequest {
    this.made += 1;
    const range = Array.from({ length: count }, (_, n) => n);
    return {
      empresa_id: businessId,
      plantilla_id: businessId * 100 + 1,
      user_id: businessId * 100 + 1,
      nombre: `Promo ${this.made}`,
      step: businessId * 100 + 1,
      contacts_id: range.map((n) => contactId(n + 1, businessId)),
      contacts: range.map((n) => ({ nombre: `Ana ${n}`, numero: this.phone(n), pedido: `A-${n}` })),
      paramMapping: { "1": "nombre", "2": "pedido" },
      ...changes,
    };
  }

  /** The phone number of a contact in the last body; `n` counts from 0. */
  phone(n: number): string {
    return String(59_170_000_000 + this.made * 1_000 + n);
  }

  post(body: object, businessId = 1): Promise<Answer> {
    return this.world.post(registerPath, body, businessId);
  }

  async register(body: object, businessId = 1): Promise<number> {
    const answer = await this.post(body, businessId);
    expect(answer.text).to.equal('{"success":true}');
    expect(answer.status).to.equal(200);
    return Number(answer.headers["x-campaign-id"]);
  }

  async status(id: number, businessId = 1): Promise<Answer["json"]> {
    const answer = await this.world.get(`/campaigns/${id}`, businessId);
    expect(answer.status).to.equal(200);
    return answer.json;
  }

  /** Waits until the campaign matches. */
  becomes(id: number, expected: object, counts: object = {}, businessId = 1): Promise<Answer["json"]> {
    return eventually(async () => {
      const status = await this.status(id, businessId);
      expect(status).to.include(expected);
      expect(status.counts).to.include(counts);
      return status;
    }, longestMs);
  }

  act(id: number, action: string, businessId = 1): Promise<Answer> {
    return this.world.post(`/campaigns/${id}/${action}`, undefined, businessId);
  }

  async recipients(id: number, query = ""): Promise<Answer["json"][]> {
    return (await this.world.get(`/campaigns/${id}/recipients${query}`)).json.data;
  }

  /** The messages that the platform accepted for `count` contacts of the last body, from index `first` on. */
  async accepted(count: number, first = 0): Promise<Answer["json"][]> {
    const phones = new Set(Array.from({ length: count }, (_, n) => this.phone(first + n)));
    const all: Answer["json"][] = await this.world.control("GET", "/messages?limit=10000");
    return all.filter(({ to }) => phones.has(to));
  }

  fault(fault: object): Promise<unknown> {
    return this.world.control("POST", "/faults", { path: "messages", ...fault });
  }

  get queue(): CampaignQueue {
    return resolve(this.world.container, tokens.campaignQueue);
  }

  /** Takes leases of senders like a worker. */
  lease(limit: number): Promise<SenderLease[]> {
    return this.queue.lease(randomUUID(), limit, (_businessId, _campaignIds, error) => {
      throw error;
    });
  }

  wake(): void {
    resolve(this.world.container, tokens.dispatchCampaigns).wake();
  }

  /** Does the work of one tick `campaigns.settle`. */
  settle(): Promise<void> {
    return resolve(this.world.container, tokens.settleCampaigns).execute();
  }

  rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.world.rows<Row>(sql, values);
  }

  /** Ends everything that could affect the next test. */
  async calm(): Promise<void> {
    await this.world.control("DELETE", "/faults");
    await this.world.control("POST", "/webhooks", { paused: false, fail_numbers: [] });
    await this.rows(
      "update campaigns set state = 'cancelled', pause_reason = null, finished_at = now() - interval '2 days'",
    );
    await this.rows("update contacts set opted_out_at = null");
    await eventually(async () => {
      const [row] = await this.rows<{ open: number }>(
        `select (select count(*)::int from campaign_recipients where lease_until is not null and business_id <= 2)
              + (select count(*)::int from senders where drained_by is not null and business_id <= 2) as open`,
      );
      return row?.open === 0;
    }, longestMs);
  }

  stop(): Promise<void> {
    return this.world.stop();
  }
}
