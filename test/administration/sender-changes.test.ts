import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";
import { knowSender } from "./sender-platforms.ts";

type Body = Readonly<Record<string, unknown>>;
type Ask = (businessId: number, method: string, path: string, body?: object) => Promise<Answer>;

const askSenders = (world: World, ...[businessId, method, path, body]: Parameters<Ask>): Promise<Answer> =>
  request(`${world.api}/admin/senders${path}`, {
    method,
    headers: { "x-api-key": world.appKey(businessId) },
    ...(body && { body }),
  });

describe("A sender record that changes to another sender", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2), aBusiness(3), aBusiness(4)] });
    // A sender with open chats cannot become another one. A test that needs open chats opens them itself.
    await world.rows("update chats set state = 'closed'");
  });
  after(() => world.stop());

  const ask: Ask = (...asked) => askSenders(world, ...asked);
  let count = 0;
  /** A number that the platform knows and that no business has. */
  const newNumber = async (account = "account-9"): Promise<Body> => {
    count += 1;
    const ids = { platform_id: `number-${100 + count}`, account_id: account, phone: `5912000${1000 + count}` };
    const number = { provider: "platform-apicloud", ...ids, token: `token-${100 + count}` };
    await knowSender(world, number);
    return number;
  };
  const made = async (businessId: number): Promise<Body & { readonly id: number }> => {
    const number = await newNumber();
    const { status, json, text } = await ask(businessId, "POST", "", number);
    expect(status, text).to.equal(201);
    return { ...number, id: json.id };
  };
  const own = async (businessId: number): Promise<Answer["json"]> =>
    (await ask(businessId, "GET", `?q=number-${businessId}`)).json.data.at(-1);
  const isKept = async (businessId: number, id: number, uses: readonly object[]) => {
    const before = await world.rows("select * from senders where id = $1", [id]);
    const { status, json } = await ask(businessId, "PUT", `/${id}`, await newNumber());
    expect([status, json.code, json.usos]).to.deep.equal([409, "in_use", uses]);
    expect(await world.rows("select * from senders where id = $1", [id])).to.deep.equal(before);
  };
  const becomesAnother = async (businessId: number, id: number, number?: Body): Promise<Answer["json"]> => {
    const wanted = number ?? (await newNumber());
    const { status, json, text } = await ask(businessId, "PUT", `/${id}`, wanted);
    expect(status, text).to.equal(200);
    expect(json.platform_id).to.equal(wanted.platform_id);
    return json;
  };

  it("is refused while unfinished campaigns send from it, but not because of finished ones", async () => {
    const { id } = await made(1);
    const campaign = async (state: string) => {
      const text = `insert into campaigns (business_id, sender_id, user_id, template_id, step_id, name, tags, template, state,
                      pause_reason, starts_at, timezone, total)
                    values (1, $1, 101, 101, 101, 'Ofertas', '{}', '{}', $2, $3, 'infinity', 'UTC', 0)`;
      await world.rows(text, [id, state, state === "paused" ? "de prueba" : null]);
    };
    await campaign("completed");
    await campaign("cancelled");
    await becomesAnother(1, id);
    await campaign("running");
    await campaign("paused");
    await isKept(1, id, [{ tipo: "campañas", cantidad: 2 }]);
    const { token: _, ...renamed } = (await ask(1, "GET", `/${id}`)).json;
    expect((await ask(1, "PUT", `/${id}`, { ...renamed, name: "Ventas" })).json.name).to.equal("Ventas");
    await world.rows("update campaigns set state = 'cancelled', pause_reason = null where sender_id = $1", [id]);
    await becomesAnother(1, id);
  });

  it("is refused while open chats of its channel are answered from it", async () => {
    const { id } = await own(2);
    const later = await made(2);
    await world.rows("update chats set state = 'pending' where business_id = 2");
    await isKept(2, id, [{ tipo: "chats", cantidad: 1 }]);
    await becomesAnother(2, later.id);
    await world.rows("update chats set state = 'closed' where business_id = 2");
    await becomesAnother(2, id);
  });

  it("is refused while the account that it would leave has templates of the business", async () => {
    const { id } = await own(3);
    const text = "update templates set platform_status = 'APPROVED' where business_id = 3";
    await world.rows(text);
    await isKept(3, id, [{ tipo: "plantillas", cantidad: 1 }]);
    await becomesAnother(3, id, await newNumber("account-3"));
    await world.rows("update templates set deleted_at = now() where business_id = 3");
    await becomesAnother(3, id);
  });

  it("loses the platform's reports on the old sender, and gets no more of them", async () => {
    const { id, platform_id, account_id, phone } = await own(4);
    const told = (account: unknown, number: unknown, event: string) =>
      world.webhook({
        object: "whatsapp_business_account",
        entry: [
          {
            id: account,
            changes: [{ field: "phone_number_quality_update", value: { display_phone_number: number, event } }],
          },
        ],
      });
    const shown = async () => {
      const { state, quality } = (await ask(4, "GET", `/${id}`)).json;
      return [state, quality];
    };
    await told(account_id, phone, "FLAGGED");
    await eventually(async () => (await shown())[1] === "RED");
    const changed = await becomesAnother(4, id);
    expect([changed.state, changed.quality]).to.deep.equal([null, null]);
    await told(account_id, phone, "FLAGGED");
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
    expect(await shown()).to.deep.equal([null, null]);
    // The service must store this report on the new sender, and not ignore it because of the old sender's reports.
    await told(changed.account_id, changed.phone, "UNFLAGGED");
    await eventually(async () => (await shown())[0] === "UNFLAGGED");
    expect(platform_id).to.equal("number-4");
  });

  it("stays the same sender if only its older platform_id at provider-b is corrected", async () => {
    const account = {
      provider: "provider-b",
      platform_id: "AC7",
      account_id: "AC7",
      phone: "59170000007",
      token: "b-7",
    };
    await knowSender(world, account);
    const { id } = (await ask(1, "POST", "", account)).json;
    await world.rows("update senders set platform_id = 'ventas' where id = $1", [id]);
    await world.rows("update chats set provider = 'provider-b', state = 'pending' where business_id = 1");
    const renamed = await ask(1, "PUT", `/${id}`, { ...account, platform_id: "ventas", token: null, name: "Ventas" });
    expect([renamed.status, renamed.json.name], renamed.text).to.deep.equal([200, "Ventas"]);
    const { status, json } = await ask(1, "PUT", `/${id}`, account);
    expect([status, json.platform_id]).to.deep.equal([200, "AC7"]);
    const other = { ...account, platform_id: "AC8", account_id: "AC8" };
    await knowSender(world, other);
    expect((await ask(1, "PUT", `/${id}`, other)).json.usos).to.deep.equal([{ tipo: "chats", cantidad: 1 }]);
    await world.rows("update chats set provider = 'platform-apicloud', state = 'closed' where business_id = 1");
  });

  it("becomes an instance without any reported state", async () => {
    const instance = async (name: string) => {
      const body = { provider: "qr", platform_id: name, phone: "59170000000", token: `key-of-${name}` };
      await knowSender(world, body);
      return body;
    };
    const { id } = (await ask(1, "POST", "", await instance("tienda-1"))).json;
    expect((await ask(1, "GET", `/${id}/qr.png`)).status).to.equal(200);
    await world.control("POST", "/qr-instances", { instance: "tienda-1", apiKey: "key-of-tienda-1", connected: true });
    await eventually(async () => (await ask(1, "GET", `/${id}`)).json.state === "open");
    const { json } = await ask(1, "PUT", `/${id}`, await instance("tienda-2"));
    expect([json.platform_id, json.state]).to.deep.equal(["tienda-2", null]);
    const [row] = await world.rows("select connection_told_at, pairing_since from senders where id = $1", [id]);
    expect(row).to.deep.equal({ connection_told_at: null, pairing_since: null });
  });
});

describe("The deletion of a sender", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2), aBusiness(3)] });
    await world.rows("update chats set state = 'closed'");
  });
  after(() => world.stop());

  const ask: Ask = (...asked) => askSenders(world, ...asked);
  const numberOf = async (businessId: number): Promise<number> =>
    (await ask(businessId, "GET", `?q=number-${businessId}`)).json.data.at(-1).id;
  const isKept = async (businessId: number, id: number, uses: readonly object[]) => {
    const { status, json } = await ask(businessId, "DELETE", `/${id}`);
    expect([status, json.code, json.usos]).to.deep.equal([409, "in_use", uses]);
    expect((await ask(businessId, "GET", `/${id}`)).status).to.equal(200);
  };
  const isDeleted = async (businessId: number, id: number) => {
    expect((await ask(businessId, "DELETE", `/${id}`)).status).to.equal(204);
    expect((await ask(businessId, "GET", `/${id}`)).status).to.equal(404);
  };

  it("is refused while open chats are answered from the sender, or an unfinished campaign refers to it", async () => {
    const id = await numberOf(1);
    await world.rows("update chats set state = 'pending' where business_id = 1");
    await isKept(1, id, [{ tipo: "chats", cantidad: 1 }]);
    const campaign = async (state: string): Promise<number> => {
      const text = `insert into campaigns (business_id, sender_id, user_id, template_id, step_id, name, tags, template, state,
                      pause_reason, starts_at, timezone, total)
                    values (1, $1, 101, 101, 101, 'Ofertas', '{}', '{}', $2, $3, 'infinity', 'UTC', 0) returning id`;
      const rows = await world.rows<{ id: number }>(text, [id, state, state === "paused" ? "pausada" : null]);
      return rows[0]?.id ?? 0;
    };
    const paused = await campaign("paused");
    const completed = await campaign("completed");
    const underWay = await campaign("cancelled");
    await world.rows(
      `insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters, state, lease_until)
       values (1, $1, 1, 101, '1', '{}', 'sending', 'infinity'), (1, $2, 1, 101, '1', '{}', 'failed', null)`,
      [underWay, completed],
    );
    await isKept(1, id, [
      { tipo: "campañas", cantidad: 2 },
      { tipo: "chats", cantidad: 1 },
    ]);
    const sent = await world.get(`/campaigns/${completed}`);
    await world.rows("update campaigns set state = 'cancelled', pause_reason = null where id = $1", [paused]);
    await isKept(1, id, [
      { tipo: "campañas", cantidad: 1 },
      { tipo: "chats", cantidad: 1 },
    ]);
    await world.rows("update campaign_recipients set state = 'unknown', lease_until = null where campaign_id = $1", [
      underWay,
    ]);
    await world.rows("update chats set state = 'closed' where business_id = 1");
    await isDeleted(1, id);

    expect((await world.get(`/campaigns/${completed}`)).json).to.deep.equal(sent.json);
    expect((await world.get(`/campaigns/${completed}/recipients`)).json.data).to.have.length(1);
    for (const action of ["retry-failed", "resend-unknown"]) {
      const { status, json } = await world.post(`/campaigns/${completed}/${action}`, {});
      expect([status, json.message]).to.deep.equal([409, "No es posible: el número de la campaña fue eliminado"]);
    }
    expect((await world.get(`/campaigns/${completed}`)).json).to.deep.equal(sent.json);
  });

  it("is refused while the sender's account has templates, unless another sender is on the account", async () => {
    const id = await numberOf(2);
    await world.rows("update templates set platform_status = 'APPROVED' where business_id = 2");
    await isKept(2, id, [{ tipo: "plantillas", cantidad: 1 }]);
    const next = {
      ...{ provider: "platform-apicloud", platform_id: "number-90", account_id: "account-2" },
      ...{ phone: "59120000090", token: "token-90" },
    };
    await knowSender(world, next);
    expect((await ask(2, "POST", "", next)).status).to.equal(201);
    await isDeleted(2, id);
  });

  it("is refused with a count of ten thousand uses if there are more", async () => {
    const id = await numberOf(3);
    await world.rows(`insert into templates (business_id, name, platform_name, body, provider, platform_status)
                      select 3, 'T' || n, 't_' || n, 'Hola', 'Cloud', 'APPROVED' from generate_series(1, 10001) n`);
    await isKept(3, id, [{ tipo: "plantillas", cantidad: 10_000 }]);
  });
});

describe("Reports on a number", () => {
  it("never replace a later report, in whatever order they arrive", async () => {
    const world = await startWorld({ businesses: [aBusiness(1, { threads: [aThread(101)] })] });
    try {
      const told = (time: number, event: string) => ({
        id: "account-1",
        time,
        changes: [{ field: "phone_number_quality_update", value: { display_phone_number: "+591 2 0000001", event } }],
      });
      const tell = (...entry: object[]) => world.webhook({ object: "whatsapp_business_account", entry });
      const shown = async () => {
        const headers = { "x-api-key": world.appKey(1) };
        const { state, quality } = (await request(`${world.api}/admin/senders`, { headers })).json.data[0];
        return [state, quality];
      };
      const allProcessed = () =>
        eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
      await tell(told(1_760_000_100, "UNFLAGGED"), told(1_760_000_050, "FLAGGED"));
      await allProcessed();
      expect(await shown()).to.deep.equal(["UNFLAGGED", null]);
      await tell(told(1_760_000_060, "FLAGGED"));
      await allProcessed();
      expect(await shown()).to.deep.equal(["UNFLAGGED", null]);
      await tell(told(1_760_000_200, "FLAGGED"));
      await allProcessed();
      expect(await shown()).to.deep.equal(["FLAGGED", "RED"]);
    } finally {
      await world.stop();
    }
  });
});
