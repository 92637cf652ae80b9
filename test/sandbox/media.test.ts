import { createHash } from "node:crypto";
import { expect } from "chai";
import { Files } from "../../src/sandbox/core/files.ts";
import { anAccount, Bench, customer, template } from "./support.ts";

describe("a media file of the sandbox's cloud channel", () => {
  let bench: Bench;

  beforeEach(async () => {
    const other = anAccount({ token: "token-2", accountId: "1002", phoneNumberId: "2002" });
    bench = await Bench.start({ accounts: [anAccount(), other] });
  });
  afterEach(() => bench.stop());

  const bytes = Buffer.from([255, 216, 255, 0, 128, 10]);
  const say = async (media: object = {}) => {
    const file = { type: "image", mime: "image/jpeg", base64: bytes.toString("base64"), ...media };
    await bench.control("POST", `/customers/${customer}/say`, { media: file });
    const message = bench.receiver.messages().at(-1);
    return String((message?.image as { id: string } | undefined)?.id);
  };
  const ask = (method: string, id: string, token = "token-1", query = "") =>
    bench.call(method, `/v23.0/${id}${query}`, undefined, { authorization: `Bearer ${token}` });
  const open = (url: unknown, headers: Record<string, string> = { authorization: "Bearer token-1" }) =>
    fetch(String(url), { headers });
  const statusOf = async (...call: Parameters<typeof open>) => {
    const response = await open(...call);
    await response.arrayBuffer();
    return response.status;
  };

  async function upload(fields: Record<string, string | Blob>, id = "2001", token = "token-1") {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const response = await fetch(`${bench.sandbox.url}/v23.0/${id}/media`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  const aFile = (changes: Record<string, string | Blob> = {}) => ({
    messaging_product: "whatsapp",
    type: "image/jpeg",
    file: new Blob([bytes], { type: "image/jpeg" }),
    ...changes,
  });

  it("is described and returned for the token of the customer's number", async () => {
    const id = await say();
    const { status, body } = await ask("GET", id);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      messaging_product: "whatsapp",
      url: body.url,
      mime_type: "image/jpeg",
      sha256: createHash("sha256").update(bytes).digest("hex"),
      file_size: 6,
      id,
    });
    const file = await open(body.url);
    expect(file.headers.get("content-type")).to.equal("image/jpeg");
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).to.equal(true);
    expect(await statusOf(body.url, {})).to.equal(401);
    expect(await statusOf(body.url, { authorization: "Bearer token-2" })).to.equal(401);
    expect((await ask("GET", id, "token-1", "?phone_number_id=2001")).status).to.equal(200);
    for (const [token, query] of [
      ["token-2", ""],
      ["token-1", "?phone_number_id=2002"],
    ] as const) {
      expect((await ask("GET", id, token, query)).body.error).to.include({ code: 100, error_subcode: 33 });
    }
    expect((await ask("GET", id, "nobody")).body.error).to.include({ code: 190 });
    expect((await ask("GET", `${id}0`)).body.error).to.include({ code: 100, error_subcode: 33 });
  });

  it("has a URL that expires, and a new URL for each request", async () => {
    await bench.stop();
    bench = await Bench.start({ mediaLinkMs: 0 });
    const { body } = await ask("GET", await say());
    expect(await statusOf(body.url)).to.equal(404);
    expect((await ask("GET", String(body.id))).body.url).to.not.equal(body.url);
  });

  it("has faults of its own for its description and for its content", async () => {
    const id = await say();
    await bench.control("POST", "/faults", { path: "media", code: 131000 });
    expect((await ask("GET", id)).status).to.equal(500);
    const { body } = await ask("GET", id);
    await bench.control("POST", "/faults", { path: "attachment", status: 502 });
    expect([await statusOf(body.url), await statusOf(body.url)]).to.deep.equal([502, 200]);
  });

  it("can be uploaded, sent by its id, and removed", async () => {
    const { status, body } = await upload(aFile());
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ id: body.id });
    const id = String(body.id);
    expect((await ask("GET", id)).body).to.include({ mime_type: "image/jpeg", file_size: 6 });

    await bench.control("POST", `/customers/${customer}/say`, { text: "hola" });
    await bench.sent({ type: "image", image: { id, caption: "a" } });
    const header = { type: "header", parameters: [{ type: "image", image: { id } }] };
    await bench.sent({ template: template("photo", [header]) });
    expect((await bench.accepted())[0]?.media).to.deep.equal({ id, caption: "a" });

    expect((await ask("DELETE", id, "token-2")).body.error).to.include({ code: 100, error_subcode: 33 });
    expect((await ask("DELETE", id)).body).to.deep.equal({ success: true });
    expect((await ask("GET", id)).body.error).to.include({ code: 100, error_subcode: 33 });
    for (const changes of [{ type: "image", image: { id } }, { template: template("photo", [header]) }]) {
      const error = (await bench.send(changes)).body.error as { code: number; message: string };
      expect(error.code).to.equal(100);
      expect(error.message).to.match(/not a valid .* media attachment ID/);
    }
  });

  it("can be larger than other requests", async () => {
    const large = new Blob([Buffer.alloc(3_000_000)], { type: "video/mp4" });
    const { body } = await upload(aFile({ file: large }));
    expect((await ask("GET", String(body.id))).body).to.include({ file_size: 3_000_000 });
    const id = await say({ base64: Buffer.alloc(3_000_000, 7).toString("base64") });
    expect((await ask("GET", id)).body).to.include({ file_size: 3_000_000 });
  });

  const wrong: [what: string, changes: Record<string, string | Blob>, why: RegExp][] = [
    ["for another product", { messaging_product: "x" }, /messaging_product/],
    ["without a file", { file: "a" }, /file is required/],
    ["if the platform does not accept its type", { file: new Blob(["<svg/>"], { type: "image/svg+xml" }) }, /svg/],
  ];
  for (const [what, changes, why] of wrong) {
    it(`is refused ${what}`, async () => {
      const { status, body } = await upload(aFile(changes));
      expect(status).to.equal(400);
      expect((body.error as { message: string }).message).to.match(why);
    });
  }

  it("is refused without a form, and with another account's number or token", async () => {
    expect((await bench.call("POST", "/v23.0/2001/media", "{}")).body.error).to.include({ code: 100 });
    expect((await upload(aFile(), "2002")).body.error).to.include({ code: 100, error_subcode: 33 });
    expect((await upload(aFile(), "2001", "nobody")).body.error).to.include({ code: 190 });
  });

  it("is deleted when newer files need the space", () => {
    const files = new Files();
    const keep = (size: number) => files.keep({ mime: "a/b", owner: "1", bytes: Buffer.alloc(size) });
    const first = keep(1);
    for (let count = 1; count < 200; count += 1) keep(1);
    expect(files.find(first)).to.not.equal(undefined);
    keep(1);
    expect(files.find(first)).to.equal(undefined);

    const large = keep(150_000_000);
    const second = keep(50_000_001);
    expect([files.find(large), files.find(second) !== undefined]).to.deep.equal([undefined, true]);
  });
});

describe("the sandbox's events of accounts of the cloud channel", () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench.stop());

  it("report messages that the business writes in its app", async () => {
    const path = `/numbers/2001/customers/${customer}/write`;
    const { body } = await bench.control("POST", path, { text: "Ya va", timestamp: 1_760_000_000 });
    expect(body).to.deep.equal({ id: body.id, delivered: true });
    expect(bench.receiver.changes().at(-1)).to.deep.equal({
      field: "smb_message_echoes",
      value: {
        messaging_product: "whatsapp",
        metadata: { display_phone_number: "15550000001", phone_number_id: "2001" },
        message_echoes: [
          {
            ...{ from: "15550000001", to: customer, id: body.id, timestamp: "1760000000" },
            ...{ type: "text", text: { body: "Ya va" } },
          },
        ],
      },
    });
    expect((await bench.control("POST", "/numbers/9/customers/59170000001/write", { text: "a" })).status).to.equal(400);
    expect((await bench.control("POST", "/numbers/2001/customers/ana/write", { text: "a" })).status).to.equal(400);
    expect(await bench.accepted()).to.be.empty;
  });

  it("report any change to an account as requested", async () => {
    const value = { phone_number: "15550000001", event: "DISABLED_UPDATE", ban_info: { waba_ban_state: ["DISABLE"] } };
    const { body } = await bench.control("POST", "/accounts/1001/news", { field: "account_update", value });
    expect(body).to.deep.equal({ delivered: true });
    const entry = bench.receiver.taken.at(-1)?.payload.entry[0];
    expect(entry).to.deep.include({ id: "1001", changes: [{ field: "account_update", value }] });
    expect((await bench.control("POST", "/accounts/9/news", { field: "a" })).body.error).to.match(/no account 9/);
    expect((await bench.control("POST", "/accounts/1001/news", {})).body.error).to.match(/field must be/);
  });
});
