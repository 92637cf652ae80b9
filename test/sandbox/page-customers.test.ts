import { createHmac } from "node:crypto";
import { expect } from "chai";
import { appSecret, Bench } from "./support.ts";

const ana = "24000000000000001";

describe("the sandbox's customers of pages and photo accounts", () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.start({
      pages: [
        { pageId: "3001", token: "page-1" },
        { pageId: "3002", token: "photo-1", channel: "platform-photo" },
      ],
    });
  });
  afterEach(() => bench.stop());

  const act = (verb: "say" | "react", channel: string, input: object) =>
    bench.control("POST", `/customers/${ana}/${verb}`, { channel, ...input });
  const say = (input: object, channel = "page") => act("say", channel, input);
  const last = () => bench.receiver.messaging().at(-1);
  const attached = () => {
    const [first] = (last()?.message?.attachments ?? []) as { type: string; payload: Record<string, unknown> }[];
    return first;
  };
  const answer = (page: string, token: string, message: object = { text: "Hola" }) =>
    bench.call(
      "POST",
      `/v23.0/${page}/messages`,
      { recipient: { id: ana }, message },
      { authorization: `Bearer ${token}` },
    );

  it("write to a page's own path in the platform's format, signed by the app", async () => {
    const { status, body } = await say({ text: "hola", timestamp: 1_760_000_000 });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ id: body.id, delivered: true });
    expect(body.id).to.match(/^m_/);
    const [first, ...others] = bench.receiver.taken;
    expect(others).to.be.empty;
    expect(first?.path).to.equal("/webhooks/page");
    const hex = createHmac("sha256", appSecret)
      .update(first?.raw ?? "")
      .digest("hex");
    expect(first?.signature).to.equal(`sha256=${hex}`);
    const time = (first?.payload.entry[0] as { time?: number } | undefined)?.time;
    expect(time).to.be.closeTo(Date.now(), 10_000);
    expect(first?.payload).to.deep.equal({
      object: "page",
      entry: [
        {
          id: "3001",
          time,
          messaging: [
            {
              sender: { id: ana },
              recipient: { id: "3001" },
              timestamp: 1_760_000_000_000,
              message: { mid: body.id, text: "hola" },
            },
          ],
        },
      ],
    });
  });

  it("write to a photo account's own path", async () => {
    await say({ text: "hola", to: "3002" }, "photo");
    expect(bench.receiver.taken[0]).to.include({ path: "/webhooks/photo" });
    expect(bench.receiver.taken[0]?.payload).to.include({ object: "instagram" });
    expect(last()?.recipient).to.deep.equal({ id: "3002" });
  });

  it("write to the configured URL of each channel", async () => {
    const url = `${bench.receiver.url}/all?x=1`;
    await bench.control("POST", "/webhook", { url, photoUrl: `${bench.receiver.url}/photos`, appSecret });
    for (const channel of ["cloud", "page", "photo"]) {
      await bench.control("POST", `/customers/${channel === "cloud" ? "59170000001" : ana}/say`, {
        channel,
        text: "a",
      });
    }
    expect(bench.receiver.taken.map(({ path }) => path)).to.deep.equal(["/all?x=1", "/page?x=1", "/photos"]);
  });

  it("send files, whose URLs return the same bytes", async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    const kinds: [type: string, mime: string, told: string][] = [
      ["image", "image/jpeg", "image"],
      ["audio", "audio/mp4", "audio"],
      ["video", "video/mp4", "video"],
      ["document", "application/pdf", "file"],
      ["sticker", "image/webp", "sticker"],
    ];
    for (const [type, mime, told] of kinds) {
      await say({ media: { type, mime, base64: bytes.toString("base64") } });
      const attachment = attached();
      expect(attachment?.type).to.equal(told);
      expect("sticker_id" in (attachment?.payload ?? {})).to.equal(type === "sticker");
      const file = await fetch(String(attachment?.payload.url));
      expect(file.headers.get("content-type")).to.equal(mime);
      expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).to.equal(true);
    }
  });

  it("send several files in one message", async () => {
    const file = (mime: string) => ({ type: "image", mime, base64: "AAAA" });
    await say({ media: file("image/jpeg"), album: [file("image/png"), file("image/gif")] });
    const attachments = last()?.message?.attachments as { payload: { url: string } }[] | undefined;
    const mimes = (attachments ?? []).map(async ({ payload }) =>
      (await fetch(payload.url)).headers.get("content-type"),
    );
    expect(await Promise.all(mimes)).to.deep.equal(["image/jpeg", "image/png", "image/gif"]);
    expect(bench.receiver.messaging()).to.have.length(1);
  });

  it("send files whose URLs can fail, and return 404 after a reset", async () => {
    await say({ media: { type: "image", mime: "image/jpeg", base64: "AAAA" } });
    const url = String(attached()?.payload.url);
    const statusOf = async (address: string) => {
      const response = await fetch(address);
      await response.arrayBuffer();
      return response.status;
    };
    await bench.control("POST", "/faults", { path: "attachment", status: 503, count: 2 });
    expect([await statusOf(url), await statusOf(url), await statusOf(url)]).to.deep.equal([503, 503, 200]);
    expect(await statusOf(`${url}x`)).to.equal(404);
    await bench.control("DELETE");
    expect(await statusOf(url)).to.equal(404);
  });

  it("send places, quote messages and press buttons", async () => {
    await say({ location: { latitude: -17.78, longitude: -63.18 } });
    expect(last()?.message?.attachments).to.deep.equal([
      { type: "location", title: "Pinned Location", payload: { coordinates: { lat: -17.78, long: -63.18 } } },
    ]);
    await say({ text: "ese", reply_to: "m_before" });
    expect(last()?.message).to.deep.include({ text: "ese", reply_to: { mid: "m_before" } });
    await say({ text: "Rojo", quick_reply: "RED" });
    expect(last()?.message).to.deep.include({ text: "Rojo", quick_reply: { payload: "RED" } });
    const { body } = await say({ button: { text: "Ver", payload: "SEE" } });
    expect(last()?.postback).to.deep.equal({ mid: body.id, title: "Ver", payload: "SEE" });
    expect(last()).to.not.have.property("message");
  });

  it("come from ads, with or without a message", async () => {
    const referral = { source: "ADS", type: "OPEN_THREAD", ad_id: "77", ads_context_data: { ad_title: "Oferta" } };
    expect((await say({ referral })).body).to.deep.equal({ delivered: true });
    expect(last()?.referral).to.deep.equal(referral);
    await say({ referral, text: "hola" });
    expect(last()?.message).to.deep.include({ text: "hola", referral });
    expect(last()).to.not.have.property("referral");
  });

  it("react and remove the reaction", async () => {
    const react = (emoji: string) => act("react", "page", { message_id: "m_1", emoji });
    expect((await react("❤️")).body).to.deep.equal({ delivered: true });
    expect(last()?.reaction).to.deep.equal({ mid: "m_1", action: "react", reaction: "love", emoji: "❤️" });
    await react("🎉");
    expect(last()?.reaction).to.deep.include({ reaction: "other", emoji: "🎉" });
    await react("");
    expect(last()?.reaction).to.deep.equal({ mid: "m_1", action: "unreact" });
  });

  it("answer stories and withdraw messages on a photo account", async () => {
    const story = { url: "https://example.org/story", id: "9" };
    await say({ text: "lindo", story }, "photo");
    expect(last()?.message).to.deep.include({ text: "lindo", reply_to: { story } });
    const { body } = await say({ text: "ups" }, "photo");
    expect((await say({ unsend: body.id }, "photo")).body).to.deep.equal({ delivered: true });
    expect(last()?.message).to.deep.equal({ mid: body.id, is_deleted: true });
    await say({ message: { is_unsupported: true } }, "photo");
    expect(last()?.message).to.include({ is_unsupported: true });
  });

  it("send a message again until it is accepted, and as often as requested", async () => {
    bench.receiver.answer = (nth) => (nth === 1 ? 500 : 200);
    expect((await say({ text: "hola" })).body.delivered).to.equal(false);
    await bench.receiver.until(() => bench.receiver.messaging().length === 1);
    await say({ text: "otra", repeat: 3 });
    expect(bench.receiver.messaging().filter(({ message }) => message?.text === "otra")).to.have.length(3);
  });

  it("can be answered after they wrote, reacted or came from an ad, only on that channel", async () => {
    expect((await answer("3001", "page-1")).body.error).to.include({ code: 100, error_subcode: 2018001 });
    await say({ referral: { ad_id: "7" } });
    expect((await answer("3001", "page-1")).status).to.equal(200);
    expect((await answer("3002", "photo-1")).body.error).to.include({ code: 100, error_subcode: 2018001 });
    await act("react", "photo", { message_id: "m_1", emoji: "👍" });
    expect((await answer("3002", "photo-1")).status).to.equal(200);
    await say({ text: "hola", timestamp: Math.floor(Date.now() / 1_000) - 25 * 3_600 });
    expect((await answer("3001", "page-1")).body.error).to.include({ code: 10, error_subcode: 2018278 });
  });

  it("have a profile only for the page that they wrote to", async () => {
    const get = (fields: string, token: string, id = ana) =>
      bench.call("GET", `/v23.0/${id}?fields=${fields}`, undefined, { authorization: `Bearer ${token}` });
    const fields = "first_name,last_name,name,profile_pic,username";
    expect((await get(fields, "page-1")).body.error).to.include({ code: 100, error_subcode: 33 });
    await say({ text: "hola", name: "Ana María Rojas" });
    const { body } = await get(fields, "page-1");
    expect(body).to.deep.equal({
      ...{ first_name: "Ana", last_name: "María Rojas", name: "Ana María Rojas", id: ana },
      profile_pic: body.profile_pic,
    });
    expect((await fetch(String(body.profile_pic))).headers.get("content-type")).to.equal("image/png");
    expect((await get(fields, "photo-1")).body.error).to.include({ code: 100, error_subcode: 33 });
    expect((await get(fields, "nobody")).body.error).to.include({ code: 190 });
    await say({ text: "hola" }, "photo");
    expect((await get("name,username,first_name", "photo-1")).body).to.deep.equal({
      ...{ name: "Customer 0001", username: "customer.0001", id: ana },
    });
    expect((await get("name", "page-1", "constructor")).body.error).to.include({ code: 100, error_subcode: 33 });
    expect((await get("constructor,__proto__", "page-1")).body).to.deep.equal({ id: ana });
  });

  it("get read receipts from the page, which are listed", async () => {
    await say({ text: "hola" });
    const see = (body: object, token = "page-1") =>
      bench.call(
        "POST",
        "/v23.0/3001/messages",
        { recipient: { id: ana }, ...body },
        { authorization: `Bearer ${token}` },
      );
    expect(await see({ sender_action: "mark_seen" })).to.deep.equal({ status: 200, body: { recipient_id: ana } });
    await see({ sender_action: "mark_seen" });
    await see({ sender_action: "typing_on" });
    expect((await see({ sender_action: "wave" })).body.error).to.include({ code: 100 });
    expect((await see({ sender_action: "mark_seen", message: { text: "a" } })).body.error).to.include({ code: 100 });
    const { body } = await bench.control<Record<string, unknown>[]>("GET", `/reads?customer=${ana}`);
    expect(body).to.deep.equal([{ customer: ana, phoneNumberId: "3001", at: body[0]?.at, times: 2 }]);
    expect((await bench.control("GET", "/reads?customer=7")).body).to.deep.equal([]);
    expect(await bench.accepted()).to.be.empty;
  });

  const wrong: [channel: string, input: object, why: RegExp, customer?: string][] = [
    ["page", {}, /text must be given/],
    ["page", { text: "a", to: "3002" }, /to must be the id of a page/],
    ["page", { unsend: "m_1" }, /unsend is for channel photo/],
    ["page", { text: "a", story: { url: "x", id: "1" } }, /url must be an http or https address/],
    ["page", { location: { latitude: "x", longitude: 1 } }, /latitude must be a number/],
    ["page", { media: { type: "image", mime: "a" } }, /mime must be a media type/],
    ["page", { media: { type: "image", mime: "a/b\r\nx: y" } }, /mime must be a media type/],
    ["page", { media: { type: "image", mime: "a/b", base64: "AAA" } }, /base64 must be base64/],
    ["page", { text: "a" }, /id must be an id/, "a%20b"],
    ["page", { text: "a", type: "image" }, /has no field type/],
  ];
  for (const [channel, input, why, id = ana] of wrong) {
    it(`cannot send invalid input: ${JSON.stringify(input)} by ${id} is refused`, async () => {
      const { status, body } = await bench.control("POST", `/customers/${id}/say`, { channel, ...input });
      expect(status).to.equal(400);
      expect(body.error).to.match(why);
      expect(bench.receiver.received).to.be.empty;
    });
  }
});
