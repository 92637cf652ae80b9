import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { demoBusinesses } from "../../src/demo/data.ts";
import { type DemoDescription, giveAccess } from "../../src/demo/description.ts";
import { makeDemo, requireDemo } from "../../src/demo/seed.ts";
import { standInSettings, submittedTemplates } from "../../src/demo/stand-in-settings.ts";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { cloudChannel, pageChannel, photoChannel, providerBChannel, qrChannel } from "../../src/kernel/channels.ts";
import { administratorRole } from "../../src/kernel/ids.ts";
import { PostgresOrderEvents } from "../../src/orders/adapters/postgres/order-events.ts";
import { totalsOf } from "../../src/orders/domain/total.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { describeHistory } from "./history.ts";
import { type StartedDemo, startDemo } from "./started-demo.ts";

const dayMs = 24 * 60 * 60 * 1_000;

describe("the demo", () => {
  const now = new Date();
  let database: Database;
  let businesses: BusinessFixture[];
  let description: DemoDescription;
  let demo: StartedDemo;
  before(async () => {
    demo = await startDemo(now, { brokeOff: true });
    ({ database, businesses, description } = demo);
  });
  after(() => demo.close());

  const rows = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    database.rows<Row>({ name: "", text }, values);
  const read = (businessId: number, id: number) => new PostgresOrderEvents(database).read([{ businessId, id }]);

  const senderOf = async (provider: string): Promise<number> => {
    const found = await rows<{ id: number }>("select id from senders where business_id = 1 and provider = $1", [
      provider,
    ]);
    return found[0]?.id ?? 0;
  };

  describeHistory(() => demo, now);

  it("is created once", async () => {
    const { api, sandbox } = demo;
    expect(await makeDemo({ container: demo.service.container, api, sandbox }, businesses, now)).to.equal(false);
    await requireDemo(database);
  });

  it("is created by requests of its administrators, and each record has the named id", async () => {
    for (const { id: businessId, users, templates, departments, tags, steps, shop } of businesses) {
      const made = await rows<{ resource: string; ids: number[] }>(
        `select resource, array_agg(distinct record_id order by record_id)::int[] as ids from audit
         where business_id = $1 and actor_kind = 'user' and change <> 'removed' group by resource`,
        [businessId],
      );
      const found = new Map(made.map(({ resource, ids }) => [resource, ids]));
      for (const [resource, records = []] of [
        ["users", users.filter(({ roleId }) => roleId !== administratorRole)],
        ["templates", templates],
        ["departments", departments],
        ["tags", tags],
        ["steps", steps],
        ["branches", shop?.branches],
        ["zones", shop?.zones],
        ["articles", shop?.articles],
        ["extras", shop?.extras],
        ["drivers", shop?.drivers],
      ] as const) {
        expect(found.get(resource), resource).to.deep.equal(records.map(({ id }) => id));
      }
      expect(found.get("quick-replies")).to.have.length(8);
      expect(found.get("senders")).to.have.length(5);
      expect([...found.keys()]).to.include.members(["ad-accounts", "app-keys", "flags"]);
    }
  });

  it("has users with a password, who say whether they take chats", async () => {
    for (const { users } of businesses) {
      for (const { id, email, available, roleId } of users) {
        const [row] = await rows<{ available: boolean; can: boolean; sessions: number }>(
          `select available, password_hash is not null as can, (
             select count(*)::int from sessions where sessions.user_id = users.id and address is not null
               and revoked_at is null and business_id = users.business_id) as sessions
           from users join credentials as credential on credential.business_id = users.business_id and user_id = users.id
           where users.id = $1 and email = $2 and role_id = $3`,
          [id, email, roleId],
        );
        expect(row, email).to.deep.equal({ available, can: true, sessions: 0 });
      }
    }
    const { email } = description.agent2;
    const signedIn = await request(`${demo.api}/auth/session`, {
      method: "POST",
      body: { email, password: description.password },
    });
    expect(signedIn.status, signedIn.text).to.equal(200);
  });

  it("has templates that were submitted to the platform, with the platform's states", async () => {
    const { appKeys } = await giveAccess(demo.service.container, demo.api, businesses);
    for (const { id, users } of businesses) {
      const body = { empresa_id: id, usuario_id: users[0]?.id };
      const headers = { "x-api-key": appKeys.get(id) ?? "" };
      const { json } = await request(`${demo.api}/chats/obtener/mensaje/plantilla`, { method: "POST", body, headers });
      const states = json.plantillas.map(({ nombre, state }: { nombre: string; state: string }) => [nombre, state]);
      expect(Object.fromEntries(states)).to.deep.equal({
        ...{ "Pedido listo": "APPROVED", Bienvenida: "APPROVED", "Menú de la semana": "APPROVED", Factura: "APPROVED" },
        ...{ "Receta en video": "APPROVED", "En camino": "APPROVED", Aniversario: "PENDING", Liquidación: "REJECTED" },
        ...{ "Promo pausada": "REJECTED", Borrador: "no_status", "Recordatorio de carrito": "APPROVED" },
        ...{
          Encuesta: "APPROVED",
          "Aviso por ProviderB": "no_status",
          Horario: "APPROVED",
          "Pedido confirmado": "APPROVED",
        },
      });
    }
  });

  it("finds the same templates in the sandbox after a restart", async () => {
    const known = standInSettings(businesses, await submittedTemplates(description.databaseUrl), demo.api);
    const restarted = await startSandbox({ ...known, host: "127.0.0.1", port: 0 });
    try {
      for (const { accountId, token } of known.accounts) {
        const headers = { authorization: `Bearer ${token}` };
        const [before, after] = await Promise.all(
          [demo.sandbox, restarted.url].map(async (url) => {
            const { json } = await request(`${url}/v23.0/${accountId}/message_templates?limit=100`, { headers });
            const names = json.data.map(({ id, name, language, status }: Record<string, string>) =>
              [id, name, language, status].join(" "),
            );
            return names.sort();
          }),
        );
        expect(after).to.have.length(16).and.deep.equal(before);
      }
    } finally {
      await restarted.close();
    }
  });

  it("finds all templates approved if an earlier version created them without submitting", async () => {
    const [last] = businesses.slice(-1);
    const states = await rows<{ id: number; status: string }>(
      "select id, platform_status as status from templates where business_id = $1 and platform_status is not null",
      [last?.id],
    );
    await rows("update templates set platform_status = null where business_id = $1", [last?.id]);
    try {
      const found = await submittedTemplates(description.databaseUrl);
      const known = found.get(last?.id ?? 0)?.map(({ name, status }) => [name, status]);
      expect(known).to.deep.include(["order_ready", "APPROVED"]).and.deep.include(["clearance", "APPROVED"]);
    } finally {
      for (const { id, status } of states)
        await rows("update templates set platform_status = $2 where id = $1", [id, status]);
    }
  });

  it("gives each business a key, which replaces that of the previous start", async () => {
    const { appKeys: given } = await giveAccess(demo.service.container, demo.api, businesses);
    const before = given.get(1) ?? "";
    const counted = (key: string) => fetch(`${demo.api}/chats/counts`, { headers: { "x-api-key": key } });
    expect((await counted(before)).status).to.equal(200);
    const { appKeys } = await giveAccess(demo.service.container, demo.api, businesses);
    expect((await counted(before)).status).to.equal(401);
    expect((await counted(appKeys.get(1) ?? "")).status).to.equal(200);
  });

  it("is the same for the same time, and has the same ids and names at any time", () => {
    expect(demoBusinesses(now)).to.deep.equal(businesses);
    const later = demoBusinesses(new Date(now.getTime() + 40 * dayMs));
    const ids = (all: readonly BusinessFixture[]) =>
      all.map(({ shop }) => shop?.orders.map(({ id, chatId }) => [id, chatId]));
    expect(ids(later)).to.deep.equal(ids(businesses));
  });

  it("names pending orders with products, by chat and by app, and a product (.run/demo.json)", async () => {
    for (const [type, id] of [
      ["wa", description.orders.whatsapp],
      ["app", description.orders.app],
    ] as const) {
      const [order] = await read(1, id ?? 0);
      expect(order).to.include({ status: 8, type, paid: false });
      expect(order?.lines.length).to.be.above(0);
      expect(order && totalsOf(order).total > 0n).to.equal(true);
    }
    expect(
      await rows("select from articles where business_id = 1 and id = $1", [description.article.id]),
    ).to.have.length(1);
  });

  it("names an order, a detail and a product that only another business has", async () => {
    const { id, orderId, detailId, articleId } = description.otherBusiness;
    const [order] = await read(id, orderId ?? 0);
    expect(order).to.include({ status: 8 });
    expect(order?.lines.map((line) => line.id)).to.include(detailId);
    for (const [table, its] of [
      ["orders", orderId],
      ["order_lines", detailId],
      ["articles", articleId],
    ] as const) {
      const found = await rows<{ business_id: number }>(`select business_id from ${table} where id = $1`, [its]);
      expect(found, table).to.deep.equal([{ business_id: id }]);
    }
  });

  it("names its users, their password, and what the console needs (.run/demo.json)", () => {
    const { agent, agent2, password, departments, tags } = description;
    expect(agent2.id).to.not.equal(agent.id);
    expect(agent2.email).to.match(/@business1\./);
    expect(password).to.be.a("string");
    expect(departments).to.deep.include({ id: 2, nombre: "Reclamos" });
    expect(tags).to.deep.include({ id: 4, nombre: "Cliente frecuente" });
  });

  it("names senders on every channel, which send and receive messages (.run/demo.json)", async () => {
    const { cloud, page, photo, qr, providerB } = description.channels;
    expect(cloud).to.deep.equal({ phoneNumberId: "10001" });
    const { secret } = resolve(
      demo.service.container,
      tokens.instanceWebhook,
    )({
      businessId: 1,
      senderId: await senderOf(qrChannel),
      platformId: qr.instance ?? "",
    });
    expect(qr.webhookSecret).to.equal(secret);
    expect(providerB).to.have.all.keys("accountSid", "authToken", "number");
    for (const [channel, to, provider] of [
      ["cloud", cloud.phoneNumberId, cloudChannel],
      ["page", page.pageId, pageChannel],
      ["photo", photo.accountId, photoChannel],
      ["qr", qr.instance, qrChannel],
      ["provider-b", providerB.number, providerBChannel],
    ] as const) {
      const saying = { channel, to, text: `¿Abren hoy? (${channel})` };
      await request(`${demo.sandbox}/__sandbox/customers/59170099999/say`, { method: "POST", body: saying });
      const chatId = await eventually(async () => {
        const [found] = await rows<{ chat_id: number }>(
          `select chat_id from messages join chats on chats.business_id = messages.business_id and chats.id = chat_id
           where messages.business_id = 1 and body = $1 and provider = $2`,
          [saying.text, provider],
        );
        return found?.chat_id;
      });
      const headers = { authorization: `Bearer ${description.agent.sessionToken}` };
      const path = `${demo.api}/chats/${chatId}/messages`;
      const { json: sent } = await request(path, { method: "POST", headers, body: { texto: "Sí, hasta las 22:00" } });
      await eventually(async () => {
        const { json } = await request(path, { headers });
        return json.data.find(({ id }: { id: number }) => id === sent.id)?.estado === "read";
      });
    }
  });

  it("keeps the next ids free", async () => {
    const made = await rows(`insert into orders (business_id, type) values (1, 'wa') returning id`);
    await rows("delete from orders where id = $1", [(made[0] as { id: number }).id]);
    expect(made).to.have.length(1);
    await rows("insert into articles (business_id, name, price) values (1, 'Otro', 1)");
    await rows("delete from articles where name = 'Otro'");
  });
});
