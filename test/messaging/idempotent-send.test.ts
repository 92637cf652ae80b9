import { expect } from "chai";
import { resolve, resolveAll } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { messageIdHeaders } from "../../src/messaging/adapters/http/sends/template-send.ts";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";

const path = "/chats/enviar/plantilla/business";

describe("a send under an Idempotency-Key", () => {
  let world: World;
  before(async () => {
    const businesses = [1, 2].map((id) => aBusiness(id, { templates: [aTemplate(id * 100 + 1, { body: "Hola" })] }));
    world = await startWorld({ businesses, environment: { ROLE: "api" } });
  });
  after(() => world.stop());
  afterEach(() => world.control("DELETE", "/faults"));

  let count = 0;
  const aSend = (businessId = 1) => ({
    empresa_id: businessId,
    plantilla_id: businessId * 100 + 1,
    phone_number: String(59_172_000_000 + ++count),
  });
  const newKey = (): string => `key-${++count}`;
  const send = (key: string, body: object, businessId = 1): Promise<Answer> =>
    request(world.api + path, {
      method: "POST",
      body,
      headers: { "x-api-key": world.appKey(businessId), "idempotency-key": key },
    });
  const accepted = (phone: string): Promise<Answer["json"][]> => world.control("GET", `/messages?to=${phone}`);
  const requests = async (): Promise<number> => (await world.control("GET", "/messages/count")).requests;
  const age = (key: string, seconds: number) =>
    world.rows(
      `update idempotency_keys set created_at = created_at - make_interval(secs => $2),
              lease_until = lease_until - make_interval(secs => $2)
       where key = $1`,
      [key, seconds],
    );
  const expectReplay = (again: Answer, first: Answer): void => {
    expect(again.headers["idempotent-replay"]).to.equal("true");
    expect({ status: again.status, text: again.text, type: again.type }).to.deep.equal({
      status: first.status,
      text: first.text,
      type: first.type,
    });
    expect(again.headers["x-message-id"]).to.equal(first.headers["x-message-id"]);
  };

  it("returns the platform's id of the message in X-Message-Id, as without a key", async () => {
    const body = aSend();
    const answer = await world.post(path, body);
    const [message] = await accepted(body.phone_number);
    expect(answer.json).to.deep.equal({ success: true });
    expect(answer.headers["x-message-id"]).to.equal(message.id);
    expect(await world.rows("select from idempotency_keys")).to.deep.equal([]);
  });

  it("has no X-Message-Id if the id cannot be in a header", () => {
    expect(messageIdHeaders("wamid.HBgL==")).to.deep.equal({ "X-Message-Id": "wamid.HBgL==" });
    for (const id of ["", "ñ", "a b", "a\r\nSet-Cookie: b", "x".repeat(513)]) {
      expect(messageIdHeaders(id), id).to.deep.equal({});
    }
  });

  it("sends once for 20 simultaneous requests, and repeats the answer for later ones", async () => {
    const [key, body] = [newKey(), aSend()];
    await world.control("POST", "/faults", { delay_ms: 50, path: "messages" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(key, body)));
    const first = answers.filter(({ status, headers }) => status === 200 && !headers["idempotent-replay"]);
    expect(first).to.have.length(1);
    for (const answer of answers.filter((each) => each !== first[0])) {
      if (answer.status === 200) expect(answer.headers["idempotent-replay"]).to.equal("true");
      else expect(answer).to.deep.include({ status: 409, type: "application/json" });
      if (answer.status === 409) expect(answer.headers["retry-after"]).to.equal("1");
    }
    const again = await send(key, body);
    expectReplay(again, first[0] as Answer);
    const [message, ...others] = await accepted(body.phone_number);
    expect(others).to.deep.equal([]);
    expect(again.headers["x-message-id"]).to.equal(message.id);
  });

  it("answers 422 for another body, and sends nothing", async () => {
    const [key, body, other] = [newKey(), aSend(), aSend()];
    await send(key, body);
    expect((await send(key, other)).status).to.equal(422);
    expect(await accepted(other.phone_number)).to.deep.equal([]);
  });

  it("is independent of another business's with the same key", async () => {
    const [key, ours, theirs] = [newKey(), aSend(1), aSend(2)];
    const first = await send(key, ours, 1);
    const second = await send(key, theirs, 2);
    expect(second.status).to.equal(200);
    expect(second.headers).not.to.have.property("idempotent-replay");
    expect(await accepted(theirs.phone_number)).to.have.length(1);
    expectReplay(await send(key, ours, 1), first);
  });

  it("keeps its key free while the business has no sender", async () => {
    const [key, body] = [newKey(), aSend(2)];
    const providerBecomes = (provider: string) =>
      world.rows("update senders set provider = $1 where business_id = 2", [provider]);
    const [{ provider } = { provider: "" }] = await world.rows<{ provider: string }>(
      "select provider from senders where business_id = 2",
    );
    await providerBecomes("qr");
    expect((await send(key, body, 2)).json.error).to.equal("Error: la empresa no tiene un número de envío");
    await providerBecomes(provider);
    const answer = await send(key, body, 2);
    expect([answer.status, answer.headers["idempotent-replay"]]).to.deep.equal([200, undefined]);
    expect(await accepted(body.phone_number)).to.have.length(1);
  });

  it("does not use its key up with a wrong field, and reports a wrong key in the endpoint's words", async () => {
    const [key, body] = [newKey(), aSend()];
    expect((await send(key, { ...body, phone_number: "" })).json.error).to.equal("phone_number es requerido");
    expect((await send(key, body)).status).to.equal(200);
    const answer = await send("a b", body);
    expect(answer.status).to.equal(400);
    expect(answer.json).to.deep.equal({ success: false, error: "Idempotency-Key no es válido" });
  });

  const failures: [what: string, fault: object, status: number][] = [
    ["was refused", { code: 131_026, path: "messages" }, 400],
    ["got lost", { reset: true, path: "messages" }, 500],
  ];
  for (const [what, fault, status] of failures) {
    it(`that ${what} is not sent again`, async () => {
      const [key, body] = [newKey(), aSend()];
      await world.control("POST", "/faults", fault);
      const first = await send(key, body);
      expect(first.status).to.equal(status);
      const before = await requests();
      expectReplay(await send(key, body), first);
      expect(await requests()).to.equal(before);
    });
  }

  it("answers 409 during the lease of a process that died, then 500 for an unknown outcome, and never sends again", async () => {
    const [key, body] = [newKey(), aSend()];
    await send(key, body);
    const dies = "update idempotency_keys set status = null, content_type = null, headers = null, body = null";
    await world.rows(`${dies} where key = $1`, [key]);
    const { leaseSeconds } = world.config.idempotency;
    await age(key, leaseSeconds - 10);
    expect((await send(key, body)).status).to.equal(409);
    await age(key, 20);
    const answer = await send(key, body);
    expect(answer).to.include({ status: 500, type: "application/json" });
    expect(answer.json).to.deep.equal({ success: false, error: "Error: fallo inesperado" });
    expect(answer.headers["idempotent-replay"]).to.equal("true");
    expect(await accepted(body.phone_number)).to.have.length(1);
  });

  it("keeps its key for a day, until the clock deletes it", async () => {
    const [old, young] = [newKey(), newKey()];
    await send(old, aSend());
    await send(young, aSend());
    await age(old, 24 * 3_600 + 60);
    await age(young, 24 * 3_600 - 60);
    const tick = resolveAll(world.container, tokens.tick).find(({ name }) => name === "idempotency.purge");
    expect(tick?.everySeconds).to.equal(3_600);
    await tick?.run(new AbortController().signal);
    const left = await world.rows<{ key: string }>("select key from idempotency_keys where key = any($1)", [
      [old, young],
    ]);
    expect(left).to.deep.equal([{ key: young }]);
    expect(await resolve(world.container, tokens.idempotency).purge()).to.equal(0);
  });
});
