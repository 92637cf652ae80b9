import { expect } from "chai";
import { anAccount, Bench, template } from "./support.ts";

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly paging?: { cursors: { before: string; after: string }; next?: string; previous?: string };
}

describe("the sandbox's templates", () => {
  let bench: Bench;
  const many = Array.from({ length: 300 }, (_, at) => ({
    name: `promo_${at}`,
    language: at % 2 === 0 ? "es" : "en_US",
    status: at % 3 === 0 ? "PAUSED" : "APPROVED",
    category: "MARKETING",
    components: [{ type: "BODY", text: "Hola {{1}}" }],
  }));

  beforeEach(async () => {
    bench = await Bench.start({ accounts: [anAccount({ templates: many })] });
  });
  afterEach(() => bench.stop());

  const list = async (query = "") => (await bench.call<Page>("GET", `/v23.0/1001/message_templates${query}`)).body;
  const names = (page: Page) => page.data.map(({ name }) => name);

  it("come in pages of 25, each with a link to the next one if there is one", async () => {
    const seen: unknown[] = [];
    let page = await list("?fields=name,language,status");
    expect(page.paging).to.not.have.property("previous");
    for (;;) {
      expect(page.data).to.have.length(25);
      seen.push(...names(page));
      if (!page.paging?.next) break;
      const next = new URL(page.paging.next);
      expect(next.origin).to.equal(bench.sandbox.url);
      expect(next.searchParams.get("after")).to.equal(page.paging.cursors.after);
      page = await list(next.search);
      expect(Object.keys(page.data[0] ?? {})).to.deep.equal(["id", "name", "language", "status"]);
    }
    expect(seen).to.deep.equal(many.map(({ name }) => name));
  });

  it("come at most 250 at once, with a link to the previous page", async () => {
    const first = await list("?limit=1000");
    expect(first.data).to.have.length(250);
    const second = await list(`?limit=1000&after=${first.paging?.cursors.after}`);
    expect(second.data).to.have.length(50);
    expect(second.paging).to.not.have.property("next");
    const back = await list(new URL(second.paging?.previous ?? "").search);
    expect(names(back)).to.deep.equal(names(first));
  });

  it("have all fields unless the request names some", async () => {
    const [first] = (await list("?limit=1")).data;
    expect(first).to.deep.equal({ id: first?.id, ...many[0] });
    expect(first?.id).to.match(/^\d{16}$/);
    expect((await list("?limit=1&fields=name,quality_score{score}")).data).to.deep.equal([
      { id: first?.id, name: "promo_0" },
    ]);
  });

  it("can be searched", async () => {
    expect(names(await list("?name=promo_29"))).to.deep.equal([
      "promo_29",
      ...names(await list("?name=promo_29")).slice(1),
    ]);
    expect((await list("?name=promo_29")).data).to.have.length(11);
    expect((await list("?status=PAUSED&limit=250")).data).to.have.length(100);
    expect((await list('?status=["PAUSED","APPROVED"]&language=en_US&limit=250')).data).to.have.length(150);
    expect(await list("?name=nothing")).to.deep.equal({ data: [] });
  });

  for (const query of ["?limit=0", "?limit=x", "?after=!!", "?fields=nothing"]) {
    it(`are refused for ${query}`, async () => {
      const { status, body } = await bench.call("GET", `/v23.0/1001/message_templates${query}`);
      expect(status).to.equal(400);
      expect(body.error).to.include({ code: 100 });
    });
  }

  it("are only shown to their owner", async () => {
    await bench.control("POST", "/accounts", anAccount({ token: "token-2", accountId: "1002", phoneNumberId: "2002" }));
    for (const id of ["1002", "7"]) {
      const { status, body } = await bench.call("GET", `/v23.0/${id}/message_templates`);
      expect(status).to.equal(400);
      expect(body.error).to.include({ code: 100, error_subcode: 33 });
    }
  });

  it("can be created, read and deleted", async () => {
    const path = "/v23.0/1001/message_templates";
    const input = {
      name: "welcome",
      language: "es",
      category: "UTILITY",
      components: [{ type: "BODY", text: "Hola" }],
    };
    const created = await bench.call("POST", path, input);
    expect(created.status).to.equal(200);
    expect(created.body).to.deep.equal({ id: created.body.id, status: "PENDING", category: "UTILITY" });
    expect((await bench.call("GET", `/v23.0/${created.body.id}?fields=name,status`)).body).to.deep.equal({
      id: created.body.id,
      name: "welcome",
      status: "PENDING",
    });
    expect((await bench.send({ template: template("welcome") })).body.error).to.include({ code: 132001 });
    expect((await bench.call("POST", path, input)).body.error).to.include({ code: 100, error_subcode: 2388024 });
    expect((await bench.call("POST", path, { ...input, name: "Not A Name" })).body.error).to.include({ code: 100 });
    await bench.call("POST", path, { ...input, language: "en" });

    expect((await bench.call("DELETE", `${path}?name=welcome`)).body).to.deep.equal({ success: true });
    expect((await list("?name=welcome")).data).to.be.empty;
    expect((await bench.call("DELETE", `${path}?name=welcome`)).body.error).to.include({ code: 100 });
  });

  it("are replaced with their account, and are shared by the numbers of one account", async () => {
    const account = anAccount({ templates: many.slice(0, 2) });
    await bench.control("POST", "/accounts", account);
    expect((await list()).data).to.have.length(2);
    await bench.control("POST", "/accounts", { ...account, phoneNumberId: "2003", templates: many.slice(2, 3) });
    expect(names(await list())).to.deep.equal(["promo_0", "promo_1", "promo_2"]);

    const numbers = await bench.call<Page>("GET", "/v23.0/1001/phone_numbers");
    expect(numbers.body.data.map(({ id }) => id)).to.deep.equal(["2001", "2003"]);
    const number = await bench.call("GET", "/v23.0/2003");
    expect(number.body).to.include({ id: "2003", display_phone_number: "15550000001" });
  });
});
