import { Agent, request as httpRequest } from "node:http";
import { expect } from "chai";
import fc from "fast-check";
import { cut, inAnyOrder, writings } from "../http/json-texts.ts";
import { request } from "../support/http.ts";
import { type CampaignRequest, CampaignWorld, campaignBusiness, contactId, registerPath } from "./campaign-support.ts";

const seed = 20261122;

interface Recipient {
  readonly contact_id: number;
  readonly phone: string;
  readonly parameters: readonly string[];
}

interface Body extends CampaignRequest {
  readonly contacts_id: readonly number[];
  readonly contacts: readonly Readonly<Record<string, unknown>>[];
  readonly paramMapping?: Readonly<Record<string, string>>;
}

/** The recipients of a body by the rules of §4. The template has two placeholders. */
function recipientsOf({ contacts_id, contacts, paramMapping }: Body): Recipient[] {
  const named = new Map<number, Recipient>();
  contacts_id.forEach((id, index) => {
    const contact = contacts[index] ?? {};
    const textOf = (placeholder: string): string => {
      const value = new Map(Object.entries(contact)).get(paramMapping?.[placeholder] ?? "");
      return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "unknown";
    };
    if (named.has(id)) return;
    const parameters = paramMapping ? [textOf("1"), textOf("2")] : [];
    named.set(id, { contact_id: id, phone: String(contact.numero).replaceAll(/\D/g, ""), parameters });
  });
  return [...named.values()];
}

describe("bodies of bulk campaigns", () => {
  let all: CampaignWorld;
  before(async () => {
    all = await CampaignWorld.start([campaignBusiness(1), campaignBusiness(2)], { ROLE: "api" });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(async () => {
    agent.destroy();
    await all.stop();
  });

  const registered = (id: number) =>
    all.rows<Recipient>(
      `select contact_id, phone, parameters from campaign_recipients
       where business_id = 1 and campaign_id = $1 order by position`,
      [id],
    );
  const totalOf = async (id: number) => (await all.status(id)).total;

  /** Sends the chunks one by one. Returns the campaign's id. */
  function register(chunks: readonly Buffer[]): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { "x-api-key": all.world.appKey(1), "content-type": "application/json" };
      const req = httpRequest(`${all.world.api}${registerPath}`, { method: "POST", headers, agent }, async (res) => {
        let text = "";
        for await (const part of res) text += part;
        if (res.statusCode === 200) resolve(Number(res.headers["x-campaign-id"]));
        else reject(new Error(text));
      });
      req.on("error", reject);
      for (const chunk of chunks) req.write(chunk);
      req.end();
    });
  }

  it("register the same recipients for any order of fields and any chunks", async () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>(null, true, 12.5, "", "a\"b\\{},[]'", "ñ😀", { a: 1 }, [1], "línea\n"),
      fc.string({ maxLength: 12 }).filter((text) => !text.includes("\0")),
    );
    const contact = inAnyOrder(
      {
        nombre: fc.constantFrom("Ana", "Eva"),
        numero: fc.constantFrom("+591 700-00001", "59170000002"),
        pedido: value,
        toString: value,
        constructor: value,
      },
      ["nombre", "numero"],
    );
    const mapped = fc.constantFrom(
      "nombre",
      "numero",
      "pedido",
      "toString",
      "constructor",
      "hasOwnProperty",
      "__proto__",
    );
    const pairs = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), contact), { minLength: 1, maxLength: 12 });
    const bodies = pairs.chain((some) =>
      inAnyOrder(
        {
          contacts_id: fc.constant(some.map(([n]) => contactId(n))),
          contacts: fc.constant(some.map(([, fields]) => fields)),
          paramMapping: fc.record({ "1": mapped, "2": mapped }, { requiredKeys: [] }),
          tags: fc.shuffledSubarray([101, 102, 103]),
          empresa_id: fc.constant(1),
          plantilla_id: fc.constant(101),
          user_id: fc.constant(101),
          nombre: fc.constant("Promo"),
          step: fc.constant(101),
          otro: value,
        },
        ["contacts_id", "contacts", "empresa_id", "plantilla_id", "user_id", "nombre", "step"],
      ),
    );
    const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(writings(bodies), lengths, async (text, cuts) => {
        const id = await register(cut(Buffer.from(text), cuts));
        const expected = recipientsOf(JSON.parse(text));
        expect(await registered(id)).to.deep.equal(expected);
        expect(await totalOf(id)).to.equal(expected.length);
      }),
      { seed, numRuns: 150 },
    );
  });

  describe("with many contacts", () => {
    const count = 12_000;
    const range = Array.from({ length: count }, (_, n) => n);
    before(() =>
      all.rows(
        `insert into contacts (business_id, id, name, phone, platform_id)
         select 1, 100000 + n, 'Cliente', (59180000000 + n)::text, (59180000000 + n)::text
         from generate_series(0, $1::int - 1) as n`,
        [count],
      ),
    );
    /** `contacts` stands before `contacts_id`. The last id is repeated. The repetition has the fields of contact 0. */
    const body = (changes: object = {}): Body => {
      const { contacts_id: _ids, contacts: _contacts, ...rest } = all.body(0);
      return {
        contacts: [...range, 0].map((n) => ({ nombre: `Ana ${n}`, numero: String(59_180_000_000 + n), pedido: n })),
        ...rest,
        contacts_id: [...range, count - 1].map((n) => 100_000 + n),
        ...changes,
      };
    };

    it("register every contact once", async () => {
      const given = body();
      expect(JSON.stringify(given).length).to.be.above(512 * 1024);
      const id = await all.register(given);
      const expected = recipientsOf(given);
      expect(expected).to.have.length(count);
      expect(await registered(id)).to.deep.equal(expected);
      expect(await totalOf(id)).to.equal(count);
    });

    it("are parsed in pieces of at most 64 kB", async () => {
      const { parse } = JSON;
      let [longest, sum] = [0, 0];
      JSON.parse = (text, ...others) => {
        longest = Math.max(longest, String(text).length);
        sum += String(text).length;
        return parse(text, ...others);
      };
      try {
        const given = body();
        await all.register(given);
        expect((await all.world.post("/campaigns/preview?page=120", given)).status).to.equal(200);
        expect(sum).to.be.above(2 * JSON.stringify(given).length);
        // Each piece is parsed between two brackets, so it may be two characters longer than 65,536.
        expect(longest).to.be.within(60_000, 65_538);
      } finally {
        JSON.parse = parse;
      }
    });

    it("name the lowest unknown ids in the error, and register nothing", async () => {
      const unknown = Array.from({ length: 25 }, (_, n) => 900_000 + n);
      const given = body();
      const contacts_id = [...given.contacts_id];
      for (const [n, id] of unknown.toReversed().entries()) contacts_id[n * 480] = id;
      const [before] = await all.rows<{ count: number }>("select count(*)::int from campaigns");
      const answer = await all.post({ ...given, contacts_id, tags: [101, 999] });
      expect([answer.status, answer.json]).to.deep.equal([
        400,
        {
          success: false,
          error: `contacts_id no encontrado: ${unknown.slice(0, 20).join(", ")}, ...; tags no encontrado: 999`,
        },
      ]);
      expect(await all.rows("select count(*)::int from campaigns")).to.deep.equal([before]);
    });

    it("are previewed page by page", async () => {
      const given = body();
      const expected = recipientsOf(given);
      for (const page of [1, 57, count / 100, count / 100 + 1]) {
        const { status, json } = await all.world.post(`/campaigns/preview?page=${page}`, given, 1);
        expect(status).to.equal(200);
        expect(json).to.include({ total: count, page, hasNextPage: page < count / 100 });
        const shown = expected.slice((page - 1) * 100, page * 100);
        expect(json.data.map(({ contacto_id }: { contacto_id: number }) => contacto_id)).to.deep.equal(
          shown.map(({ contact_id }) => contact_id),
        );
        expect(json.data[0]?.texto).to.equal(
          shown[0] && `Hola ${shown[0].parameters[0]}, tu pedido ${shown[0].parameters[1]} está listo.`,
        );
      }
    });

    it("register every contact once if the transaction has to be repeated", async () => {
      await all.rows(`
        create sequence tries;
        create function fail_once() returns trigger language plpgsql as $$ begin
          if nextval('tries') = 1 then raise 'deadlock' using errcode = '40P01'; end if;
          return new;
        end $$;
        create trigger fail_once before insert on campaign_recipients
          for each row when (new.position > 7000) execute function fail_once()`);
      try {
        const id = await all.register(body());
        expect(await registered(id)).to.deep.equal(recipientsOf(body()));
        expect(await all.world.rowsOfCell(1, "select last_value > 1 as again from tries")).to.deep.equal([
          { again: true },
        ]);
      } finally {
        await all.rows("drop function fail_once cascade; drop sequence tries");
      }
    });
  });

  it("limit the size of one contact's fields", async () => {
    const refused = async (fields: object): Promise<string> => {
      const contacts = [
        { nombre: "Ana", numero: "59170000001" },
        { nombre: "Eva", numero: "59170000002", ...fields },
      ];
      const body = { ...all.body(2), contacts };
      const answer = await all.post(body);
      expect(answer.status).to.equal(400);
      expect((await all.world.post("/campaigns/preview", body)).json).to.deep.equal(answer.json);
      return answer.json.error;
    };
    const fields = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, index) => [`campo ${index}`, index]));
    expect(await refused(fields(99))).to.equal("contacts[1] no puede tener más de 100 campos");
    expect(await refused({ nota: "ñ".repeat(4_097) })).to.equal(
      "contacts[1].nota no puede tener más de 4096 caracteres",
    );
    expect(await refused({ nombre: "ñ".repeat(4_097) })).to.equal(
      "contacts[1].nombre no puede tener más de 4096 caracteres",
    );
    expect(await refused({ ["n".repeat(65)]: 1 })).to.equal(
      "contacts[1] no puede llamar a un campo con más de 64 caracteres",
    );
    expect(await refused({ lista: Array.from({ length: 20 }, () => "x".repeat(4_000)) })).to.equal(
      "contacts[1] no puede tener más de 65536 bytes",
    );
    const most = { ...fields(96), ["n".repeat(64)]: "ñ".repeat(4_096), nota: { texto: "x".repeat(5_000) } };
    const contacts = [{ nombre: "Ana", numero: all.phone(0), ...most }];
    await all.register({ ...all.body(1), contacts });
  });

  it("are refused at once if they are nested too deeply", async () => {
    const rawBody = `{"contacts":[${"[".repeat(1_000_000)}`;
    const headers = { "x-api-key": all.world.appKey(1) };
    const answer = await request(all.world.api + registerPath, { method: "POST", rawBody, headers });
    expect([answer.status, answer.json.error]).to.deep.equal([400, "La solicitud no puede tener más de 100 niveles"]);
  });
});
