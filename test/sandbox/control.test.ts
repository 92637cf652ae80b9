import { expect } from "chai";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { eventually } from "../support/wait.ts";
import { anAccount, Bench, customer, template } from "./support.ts";

describe("the sandbox's control routes", () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.start({
      accounts: [anAccount(), anAccount({ accountId: "1002", phoneNumberId: "2002" })],
      keepMessages: 5,
    });
  });
  afterEach(() => bench.stop());

  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const say = (input: object, number = customer) => bench.control("POST", `/customers/${number}/say`, input);

  describe("let customers", () => {
    it("send a text in the platform's format", async () => {
      const referral = { source_url: "https://example.org/ad", source_id: "77", source_type: "ad", headline: "Oferta" };
      const { status, body } = await say({ text: "hola", name: "Ana", referral, timestamp: 1_760_000_000 });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ id: body.id, delivered: true });
      expect(body.id).to.match(/^wamid\./);
      expect(bench.receiver.taken.map(({ payload }) => payload)).to.deep.equal([
        {
          object: "whatsapp_business_account",
          entry: [
            {
              id: "1001",
              changes: [
                {
                  field: "messages",
                  value: {
                    messaging_product: "whatsapp",
                    metadata: { display_phone_number: "15550000001", phone_number_id: "2001" },
                    contacts: [{ profile: { name: "Ana" }, wa_id: customer }],
                    messages: [
                      {
                        from: customer,
                        id: body.id,
                        timestamp: "1760000000",
                        type: "text",
                        text: { body: "hola" },
                        referral,
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ]);
    });

    it("press buttons, send media, write to another number, and repeat a message", async () => {
      await say({ button: "Si" });
      await say({ type: "image", text: "mira" });
      await say({ type: "order", content: { catalog_id: "1", product_items: [] }, context: { id: "wamid.x" } });
      const { body } = await say({ text: "hola", id: "wamid.same", to: "2002", repeat: 2 }, "%2B59170000002");
      expect(body).to.deep.equal({ id: "wamid.same", delivered: true });

      const [button, image, order, first, second, ...others] = bench.receiver.messages();
      expect(button).to.deep.include({ type: "button", button: { text: "Si", payload: "Si" } });
      expect(image?.image).to.include({ mime_type: "image/jpeg", caption: "mira" });
      expect(order).to.deep.include({ order: { catalog_id: "1", product_items: [] }, context: { id: "wamid.x" } });
      expect(first).to.deep.include({ from: "59170000002", id: "wamid.same" });
      expect(second).to.deep.equal(first);
      expect(others).to.be.empty;
      expect(bench.receiver.taken.at(-1)?.payload.entry[0]?.id).to.equal("1002");
    });

    it("send files of every type, with the platform's details", async () => {
      const base64 = Buffer.from("a picture").toString("base64");
      const sha256 = "krL6WAKJWDF+QIvYTs+nD17jWxIZkdvCMsSdFmNTcIs=";
      await say({ text: "mira", media: { type: "image", mime: "image/png", base64 } });
      await say({ media: { type: "audio", mime: "audio/ogg; codecs=opus", base64 } });
      await say({ media: { type: "document", mime: "application/pdf", filename: "precios.pdf" } });
      await say({ media: { type: "video", mime: "video/mp4" }, channel: "cloud" });
      const [image, audio, document, video] = bench.receiver.messages();
      expect(image).to.deep.include({ type: "image" });
      expect(image?.image).to.include({ mime_type: "image/png", caption: "mira", sha256 });
      expect(audio?.audio).to.include({ mime_type: "audio/ogg; codecs=opus", voice: true, sha256 });
      expect(document?.document).to.include({ mime_type: "application/pdf", filename: "precios.pdf" });
      expect(video?.video).to.include({ mime_type: "video/mp4" });
      const ids = [image?.image, audio?.audio, document?.document, video?.video].map(
        (file) => (file as { id: string }).id,
      );
      for (const id of ids) expect(id).to.match(/^\d{15}$/);
      expect(new Set(ids)).to.have.property("size", 4);
    });

    it("quote messages and react to them, which opens the service window", async () => {
      const react = (input: object) => bench.control("POST", `/customers/${customer}/react`, input);
      await say({ text: "ese", reply_to: "wamid.before" });
      await bench.control("DELETE");
      expect((await bench.send({ type: "text", text: { body: "hola" } })).body.error).to.include({ code: 131047 });
      const { body } = await react({ message_id: "wamid.before", emoji: "👍", name: "Ana", timestamp: nowSeconds() });
      expect(body).to.deep.equal({ id: body.id, delivered: true });
      expect((await bench.send({ type: "text", text: { body: "hola" } })).status).to.equal(200);
      await react({ message_id: "wamid.before", emoji: "", to: "2002" });
      const [answer, reaction, undone] = bench.receiver.messages();
      expect(answer?.context).to.deep.equal({ from: "15550000001", id: "wamid.before" });
      expect(reaction).to.deep.include({
        ...{ from: customer, id: body.id, type: "reaction" },
        reaction: { message_id: "wamid.before", emoji: "👍" },
      });
      expect(undone?.reaction).to.deep.equal({ message_id: "wamid.before", emoji: "" });
      const change = bench.receiver.changes().find(({ value }) => value.messages?.includes(undone ?? {}));
      expect(change?.value.metadata).to.include({ phone_number_id: "2002" });
    });

    it("send a message again after the webhook was refused, and report the refusal", async () => {
      bench.receiver.answer = (nth) => (nth === 1 ? 500 : 200);
      expect((await say({ text: "hola" })).body.delivered).to.equal(false);
      await bench.receiver.until(() => bench.receiver.messages().length === 1);
    });

    it("opt out of marketing and opt in again", async () => {
      const prefer = (value: string) => bench.control("POST", `/customers/${customer}/preferences`, { value });
      const offer = { template: template("offer") };
      expect((await prefer("stop")).body).to.deep.equal({ delivered: true });
      expect((await bench.send(offer)).body.error).to.include({ code: 131050 });
      expect((await bench.send()).status).to.equal(200);
      expect((await bench.send({ ...offer, to: "59170000002" })).status).to.equal(200);

      const change = bench.receiver.changes().find(({ field }) => field === "user_preferences");
      const [preference] = change?.value.user_preferences ?? [];
      expect(preference).to.deep.equal({
        wa_id: customer,
        detail: "User requested to stop marketing messages",
        category: "marketing_messages",
        value: "stop",
        timestamp: preference?.timestamp,
      });
      await prefer("resume");
      expect((await bench.send(offer)).status).to.equal(200);
      await prefer("stop");
      await bench.control("DELETE");
      expect((await bench.send(offer)).status).to.equal(200);
    });

    const wrong: [path: string, input: object, why: RegExp][] = [
      [`/customers/${customer}/say`, {}, /text must be given/],
      [`/customers/${customer}/say`, { text: "" }, /text must be a text/],
      [`/customers/${customer}/say`, { text: "a", to: "7" }, /to must be a phone number id/],
      [`/customers/${customer}/say`, { type: "order" }, /content must be given/],
      [`/customers/${customer}/say`, { type: "from", content: {} }, /type cannot be from/],
      [`/customers/${customer}/say`, { text: "a", repeat: 11 }, /repeat must be/],
      [`/customers/${customer}/say`, { media: { type: "hologram", mime: "a/b" } }, /type must be one of image/],
      [`/customers/${customer}/say`, { media: { type: "image", mime: "a/b", base64: "?" } }, /base64 must be base64/],
      [`/customers/${customer}/say`, { text: "a", channel: "fax" }, /channel must be one of cloud, page/],
      [`/customers/${customer}/react`, { emoji: "👍" }, /message_id must be a text/],
      [`/customers/${customer}/react`, { message_id: "wamid.x" }, /emoji must be an emoji, or empty/],
      ["/customers/ana/say", { text: "a" }, /number must be a phone number/],
      [`/customers/${customer}/preferences`, { value: "maybe" }, /value must be one of stop, resume/],
      ["/webhooks", { paused: "yes" }, /paused must be true or false/],
      ["/webhook", { url: "ftp://x", appSecret: "s" }, /url must be an http or https address/],
      ["/accounts", { token: "t" }, /accountId must be a text/],
    ];
    for (const [path, input, why] of wrong) {
      it(`send no invalid input: ${path} with ${JSON.stringify(input)} is refused`, async () => {
        const { status, body } = await bench.control("POST", path, input);
        expect(status).to.equal(400);
        expect(body.error).to.match(why);
        expect(bench.receiver.received).to.be.empty;
      });
    }
  });

  it("find accepted messages by recipient, reference and time, newest last, and keep a limited number", async () => {
    for (const [at, to] of ["59170000001", "59170000002", "59170000001"].entries()) {
      await bench.sent({ to, biz_opaque_callback_data: `r-${at}` });
    }
    const references = async (query: string) => (await bench.accepted(query)).map(({ reference }) => reference);
    expect(await references("")).to.deep.equal(["r-0", "r-1", "r-2"]);
    expect(await references("?to=+59170000001")).to.deep.equal(["r-0", "r-2"]);
    expect(await references("?limit=2")).to.deep.equal(["r-1", "r-2"]);
    expect(await references("?reference=r-1")).to.deep.equal(["r-1"]);
    const [, second] = await bench.accepted();
    const moment = Date.parse(String(second?.at));
    await eventually(() => Date.now() > moment + 1);
    await bench.sent({ biz_opaque_callback_data: "r-3" });
    const since = Date.parse(String((await bench.accepted()).at(-1)?.at));
    expect(await references(`?since=${since}`))
      .to.include("r-3")
      .and.not.include("r-1");
    expect(await references(`?since=${new Date(since + 1).toISOString()}`)).to.deep.equal([]);
    expect((await bench.control("GET", "/messages?since=yesterday")).status).to.equal(400);

    await Promise.all(Array.from({ length: 4 }, () => bench.sent()));
    expect(await bench.accepted()).to.have.length(5);
    expect((await bench.accepted())[0]).to.include({ reference: "r-3" });
    expect((await bench.control("GET", "/messages/count")).body).to.include({ accepted: 8 });
  });

  it("count references that were accepted more than once", async () => {
    for (const reference of ["a", "b", "a", "a"]) await bench.sent({ biz_opaque_callback_data: reference });
    await bench.sent();
    await bench.send({ to: "x" });
    const counts = { accepted: 5, requests: 6, refused: 1, distinctReferences: 2, duplicates: 2 };
    expect((await bench.control("GET", "/messages/count")).body).to.deep.equal(counts);
    await bench.control("DELETE");
    await bench.sent({ biz_opaque_callback_data: "a" });
    expect((await bench.control("GET", "/messages/count")).body).to.include({ accepted: 1, duplicates: 0 });
  });

  it("set which recipients cannot be reached", async () => {
    await bench.control("PUT", "/undeliverable", { numbers: [`+${customer}`] });
    expect((await bench.send()).body.error).to.include({ code: 131026 });
    await bench.control("DELETE");
    expect((await bench.send()).status).to.equal(200);
  });

  it("are listed, and an unknown path gets a hint to the list", async () => {
    const { routes } = (await bench.control<{ routes: { route: string; about: string }[] }>("GET")).body;
    const names = routes.map(({ route }) => route);
    expect(names).to.include.members([
      "GET /__sandbox",
      "DELETE /__sandbox",
      "GET /__sandbox/messages",
      "POST /__sandbox/faults",
      "POST /__sandbox/customers/{id}/say",
    ]);
    expect(new Set(names).size).to.equal(names.length);
    const { status, body } = await bench.control("GET", "/mesages");
    expect(status).to.equal(404);
    expect(body.error).to.match(/GET \/__sandbox lists them/);
  });

  it("are on a port that must be free, and that closing frees again", async () => {
    const settings = { port: bench.sandbox.port, host: "127.0.0.1", accounts: [] };
    const failure = await startSandbox(settings).catch((error: NodeJS.ErrnoException) => error.code);
    expect(failure).to.equal("EADDRINUSE");
    await bench.sandbox.close();
    const next = await startSandbox(settings);
    expect(next).to.include({ port: settings.port, url: `http://127.0.0.1:${settings.port}` });
    await next.close();
  });
});
