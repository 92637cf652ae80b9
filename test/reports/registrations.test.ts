import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";

const unauthorized = { error: "Las credenciales no son válidas", code: "unauthorized" };

const sale = { empresa_id: 1, tipo: "venta", chat_id: 101, monto: 120.5, origen: "pdf" };

interface Row {
  readonly type: string;
  readonly agent_id: number | null;
  readonly amount: string;
  readonly currency: string;
  readonly base_amount: string;
  readonly base_currency: string;
  readonly rate: string;
  readonly rate_date: string;
  readonly source: string;
  readonly closed: boolean;
  readonly ad_id: string | null;
  readonly at: Date;
}

describe("the records of sales and quotations", () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      environment: { ROLE: "api" },
      businesses: [
        aBusiness(1, {
          users: [
            ...(aBusiness(1).users ?? []),
            { id: 103, name: "Aldo Agente", email: "agent3@b1.test", roleId: 5, available: true },
            { id: 104, name: "Sara Supervisora", email: "other@b1.test", roleId: 3, available: false },
          ],
          threads: [aThread(101), aThread(102, { adId: "ad 9" })],
          flags: {
            timezone: "America/La_Paz",
            currency_conversion: [
              { from: "2026-03-01", USD: 7.005, EUR: "8" },
              { from: "2026-01-01", USD: 6.96 },
              { from: "2026-02-30", GBP: 9 },
            ],
          },
        }),
        aBusiness(2, { flags: { currency: "USD", currency_conversion: { BOB: 0.1436781, EUR: 0 } } }),
      ],
    });
  });
  after(() => world.stop());

  const call = (method: string, path: string, body: object | undefined, headers: Record<string, string>) =>
    request(world.api + path, { method, headers, ...(body && { body }) });
  const session = async (userId: number) => ({ authorization: `Bearer ${await world.sessionToken(userId)}` });
  const key = (businessId = 1) => ({ "x-api-key": world.appKey(businessId) });
  const add = (changes: object = {}, businessId = 1) => world.post("/registros", { ...sale, ...changes }, businessId);
  const correct = (id: number, changes: object, businessId = 1) =>
    call("PUT", `/registros/${id}`, changes, key(businessId));
  const row = async ({ json }: Answer): Promise<Row> => {
    expect(json).to.include({ success: true });
    const [found] = await world.rows<Row>("select *, rate_date::text from registrations where id = $1", [json.id]);
    if (!found) throw new Error("not there");
    return found;
  };
  const refused = ({ status, json }: Answer, expected: number, error: string): void => {
    expect(json).to.deep.equal({ success: false, error });
    expect(status).to.equal(expected);
  };

  it("store a closed sale in the base currency with the current time", async () => {
    const kept = await row(await add());
    expect(kept).to.deep.include({
      type: "sale",
      agent_id: null,
      amount: "120.50",
      currency: "BOB",
      base_amount: "120.50",
      rate: "1",
      source: "pdf",
      closed: true,
      ad_id: null,
    });
    expect(Date.now() - kept.at.getTime()).to.be.within(-1_000, 60_000);
  });

  it("store a quotation as open, with one spelling of its source, and with its agent", async () => {
    const kept = await row(await add({ tipo: "cotizacion", origen: " Mensaje ", agente_id: 102 }));
    expect(kept).to.include({ type: "quotation", closed: false, source: "message", agent_id: 102 });
    expect(await row(await add({ origen: "Feria" }))).to.include({ source: "feria" });
    expect(await row(await add({ cerrada: false }))).to.include({ closed: false });
  });

  it("have the ad that the chat had at that time", async () => {
    const answer = await add({ chat_id: 102 });
    await world.rows("update chats set ad_id = 'ad 10' where id = 102");
    await correct(answer.json.id, { monto: 1 });
    expect(await row(answer)).to.include({ ad_id: "ad 9", amount: "1.00" });
    expect(await row(await add({ chat_id: 102 }))).to.include({ ad_id: "ad 10" });
  });

  it("are converted exactly at the rate of the record's day in the business's zone", async () => {
    const usd = (fecha: string) => add({ moneda: "usd", monto: 100.1, fecha });
    expect(await row(await usd("2026-02-28T23:59:59"))).to.include({
      currency: "USD",
      base_amount: "696.70",
      rate: "6.96",
      rate_date: "2026-02-28",
    });
    expect(await row(await usd("2026-03-01"))).to.include({ base_amount: "701.20", rate: "7.005" });
    expect(await row(await add({ moneda: "EUR", monto: 0.01, fecha: "2026-04-01" }))).to.include({
      base_amount: "0.08",
    });
    const inUsd = { empresa_id: 2, chat_id: 201, moneda: "BOB", monto: 9_999_999.99 };
    expect(await row(await add(inUsd, 2))).to.include({ base_amount: "1436781.00" });
  });

  it("name the error of an optional field in a correction", async () => {
    const { json } = await add();
    refused(await correct(json.id, { monto: "1" }), 400, "monto debe ser un número");
    refused(await correct(json.id, { monto: "1", origen: 1 }), 400, "monto debe ser un número");
  });

  it("can be corrected except for the amount if the business's new currency has no rate", async () => {
    const added = await add({ monto: 18.3 });
    await world.rows(`update businesses set feature_flags = feature_flags || '{"currency": "CLP"}' where id = 1`);
    try {
      await row(await correct(added.json.id, { cerrada: false }));
      expect(await row(added)).to.include({ closed: false, base_amount: "18.30", base_currency: "BOB" });
      refused(await correct(added.json.id, { monto: 20 }), 400, "No hay tipo de cambio para BOB");
    } finally {
      await world.rows("update businesses set feature_flags = feature_flags - 'currency' where id = 1");
    }
  });

  it("are refused in a currency without a rate on that day", async () => {
    refused(await add({ moneda: "ARS" }), 400, "No hay tipo de cambio para ARS");
    refused(await add({ moneda: "USD", fecha: "2025-12-31" }), 400, "No hay tipo de cambio para USD");
    refused(await add({ moneda: "EUR", fecha: "2026-02-01" }), 400, "No hay tipo de cambio para EUR");
    // The rate of GBP is not used, since its first day, 30 February, does not exist.
    refused(await add({ moneda: "GBP", fecha: "2026-03-05" }), 400, "No hay tipo de cambio para GBP");
    refused(await add({ empresa_id: 2, chat_id: 201, moneda: "EUR" }, 2), 400, "No hay tipo de cambio para EUR");
    refused(await add({ moneda: "constructor" }), 400, "moneda debe ser un código de tres letras");
  });

  it("can be corrected only in amount, source, closed, agent and date", async () => {
    const answer = await add({ moneda: "USD", monto: 10, fecha: "2026-02-01", agente_id: 102 });
    const { id } = answer.json;
    await world.rows("update businesses set feature_flags = feature_flags || '{\"x\": 1}' where id = 1");
    expect((await correct(id, { monto: 20 })).json).to.deep.equal({ success: true, id });
    expect(await row(answer)).to.include({ base_amount: "139.20", rate: "6.96", agent_id: 102 });
    await correct(id, { fecha: "2026-03-05T10:00:00-04:00", cerrada: false, origen: "mensaje", agente_id: null });
    const kept = await row(answer);
    expect(kept).to.include({ rate: "7.005", base_amount: "140.10", closed: false, source: "message", agent_id: null });
    expect(kept.at.toISOString()).to.equal("2026-03-05T14:00:00.000Z");
    await correct(id, { moneda: "BOB", tipo: "cotizacion", chat_id: 102 });
    expect(await row(answer)).to.include({ base_amount: "20.00", type: "sale" });
    await correct(id, {});
    expect(await row(answer)).to.include({ base_amount: "20.00" });
  });

  it("keep their day's rate when only the amount is corrected", async () => {
    const answer = await add({ empresa_id: 2, chat_id: 201, moneda: "BOB", monto: 100 }, 2);
    await world.rows(
      `update businesses set feature_flags = feature_flags || '{"currency_conversion": {"BOB": 5}}' where id = 2`,
    );
    await correct(answer.json.id, { monto: 200 }, 2);
    expect(await row(answer)).to.include({ base_amount: "28.74" });
  });

  it("can be deleted once", async () => {
    const { id } = (await add()).json;
    const remove = () => call("DELETE", `/registros/${id}`, undefined, key());
    expect((await remove()).json).to.deep.equal({ success: true, id });
    refused(await remove(), 404, "Registro no encontrado");
  });

  it("get the same answer for another business's ids as for missing ones", async () => {
    refused(await add({ empresa_id: 2 }), 404, "Empresa no encontrada");
    refused(await add({ chat_id: 201 }), 404, "Chat no encontrado");
    refused(await add({ agente_id: 202 }), 404, "Agente no encontrado");
    const { id } = (await add()).json;
    refused(await correct(id, { monto: 1 }, 2), 404, "Registro no encontrado");
    refused(await correct(id, { agente_id: 202 }), 404, "Agente no encontrado");
    refused(await call("DELETE", `/registros/${id}`, undefined, key(2)), 404, "Registro no encontrado");
  });

  it("name a missing or wrong field", async () => {
    refused(await add({ empresa_id: undefined }), 400, "empresa_id es requerido y debe ser un número");
    refused(await add({ tipo: "regalo" }), 400, "tipo debe ser venta o cotizacion");
    refused(await add({ chat_id: "101" }), 400, "chat_id es requerido y debe ser un número");
    refused(await add({ monto: "1" }), 400, "monto es requerido y debe ser un número");
    refused(await add({ monto: -1 }), 400, "monto no puede ser negativo");
    refused(await add({ monto: 0.001 }), 400, "monto debe tener como máximo dos decimales");
    refused(await add({ monto: 1e10 }), 400, "monto es demasiado grande");
    refused(await add({ origen: " " }), 400, "origen es requerido");
    refused(await add({ cerrada: "true" }), 400, "cerrada debe ser un booleano");
    refused(await add({ fecha: "2026-02-30" }), 400, "fecha no es válida");
    refused(await add({ fecha: "1926-02-03" }), 400, "fecha no es válida");
    refused(await add({ fecha: "2126-02-03" }), 400, "fecha no es válida");
    expect((await add({ monto: 0 })).status).to.equal(200);
  });

  describe("with a user's session", () => {
    it("are refused without a valid session", async () => {
      const anonymous = await call("POST", "/registros", sale, {});
      expect([anonymous.status, anonymous.json]).to.deep.equal([401, unauthorized]);
      const wrong = await call("POST", "/registros", sale, { authorization: "Bearer x" });
      expect([wrong.status, wrong.json]).to.deep.equal([401, unauthorized]);
    });

    for (const [who, userId] of [
      ["an agent", 102],
      ["a user of another role", 104],
    ] as const) {
      it(`belong to ${who} who adds them, whatever the body contains`, async () => {
        for (const agente_id of [undefined, null, 103, 202, userId]) {
          const answer = await call("POST", "/registros", { ...sale, agente_id }, await session(userId));
          expect(await row(answer)).to.include({ agent_id: userId });
        }
      });

      it(`can be corrected and deleted by ${who} who owns them, but not given to others`, async () => {
        const own = await add({ agente_id: userId });
        const { id } = own.json;
        const mine = await session(userId);
        const corrected = await call("PUT", `/registros/${id}`, { monto: 7, agente_id: 103 }, mine);
        expect(corrected.json).to.deep.equal({ success: true, id });
        expect(await row(own)).to.include({ amount: "7.00", agent_id: userId });
        expect((await call("DELETE", `/registros/${id}`, undefined, mine)).json).to.deep.equal({ success: true, id });
      });

      it(`are refused to ${who} who does not own them, or missing with their chat, and stay unchanged`, async () => {
        const others = [await add({ agente_id: 103 }), await add(), await add({ agente_id: 101 })];
        const mine = await session(userId);
        for (const [method, body] of [
          ["PUT", { monto: 9_999_999 }],
          ["PUT", { agente_id: userId }],
          ["DELETE", undefined],
        ] as const) {
          const missing = await call(method, "/registros/9999999999", body, mine);
          refused(missing, 404, "Registro no encontrado");
          for (const other of others) {
            const before = await row(other);
            const change = () => call(method, `/registros/${other.json.id}`, body, mine);
            const refusal = await change();
            expect([refusal.status, refusal.json.code]).to.deep.equal([403, "forbidden"]);
            await world.rows("update chats set support_user_id = 103 where business_id = 1 and id = $1", [
              sale.chat_id,
            ]);
            const answer = await change();
            await world.rows("update chats set support_user_id = null where business_id = 1 and id = $1", [
              sale.chat_id,
            ]);
            expect([answer.status, answer.text]).to.deep.equal([missing.status, missing.text]);
            expect(await row(other)).to.deep.equal(before);
          }
        }
      });
    }

    it("can be added, corrected and deleted for anyone by an administrator and with an App Key", async () => {
      const administrator = await session(101);
      for (const headers of [administrator, key()]) {
        expect(await row(await call("POST", "/registros", sale, headers))).to.include({ agent_id: null });
        const added = await call("POST", "/registros", { ...sale, agente_id: 102 }, headers);
        expect(await row(added)).to.include({ agent_id: 102 });
        const path = `/registros/${added.json.id}`;
        await call("PUT", path, { agente_id: 103, monto: 3 }, headers);
        expect(await row(added)).to.include({ agent_id: 103, amount: "3.00" });
        expect((await call("DELETE", path, undefined, headers)).status).to.equal(200);
      }
    });
  });

  it("are added once for one Idempotency-Key", async () => {
    const headers = { ...key(), "idempotency-key": "once" };
    const [first, again] = [
      await call("POST", "/registros", sale, headers),
      await call("POST", "/registros", sale, headers),
    ];
    expect(again.json).to.deep.equal(first.json);
  });

  it("never give a caller the answer for another caller's same Idempotency-Key", async () => {
    const callers = [key(), ...(await Promise.all([101, 102, 103].map(session)))];
    const asked = () =>
      Promise.all(callers.map((each) => call("POST", "/registros", sale, { ...each, "idempotency-key": "shared" })));
    const [first, again] = [await asked(), await asked()];
    expect(new Set(first.map(({ json }) => json.id)).size).to.equal(4);
    expect(again.map(({ json }) => json)).to.deep.equal(first.map(({ json }) => json));
  });
});
