import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { Bench, customer, type Messaging } from "./support.ts";

const ana = "24000000000000001";
const eva = "24000000000000002";

describe("the sandbox's statuses for pages and photo accounts", () => {
  let bench: Bench;

  beforeEach(async () => {
    const people = [ana, eva, customer];
    bench = await Bench.start({
      pages: [
        { pageId: "3001", token: "page-1", people },
        { pageId: "3002", token: "photo-1", channel: "platform-photo", people },
      ],
    });
  });
  afterEach(() => bench.stop());

  const post = async (page: "3001" | "3002", to: string, message: object, more: object = {}): Promise<string> => {
    const authorization = `Bearer ${page === "3001" ? "page-1" : "photo-1"}`;
    const call = { recipient: { id: to }, message, ...more };
    const { body } = await bench.call("POST", `/v23.0/${page}/messages`, call, { authorization });
    expect(body.message_id, JSON.stringify(body)).to.be.a("string");
    return String(body.message_id);
  };
  const behave = (behaviour: object) => bench.control("POST", "/webhooks", behaviour);
  const told = () => bench.receiver.messaging();
  const kindOf = ({ message, delivery, read }: Messaging): string =>
    [message && "echo", delivery && "delivered", read && "read"].filter(Boolean).join();
  const kinds = () => told().map(kindOf);
  const untilTold = (count: number) => bench.receiver.until(() => told().length === count);

  it("include an echo with its metadata, a delivery and a read report on a page", async () => {
    const id = await post("3001", ana, { text: "Hola", metadata: "r-1" }, { reply_to: { mid: "m_before" } });
    await untilTold(3);
    const [seen] = await bench.accepted();
    const at = Date.parse(String(seen?.at));
    const [echo, delivered, read] = told();
    const message = echo?.message;
    expect(echo).to.deep.equal({
      sender: { id: "3001" },
      recipient: { id: ana },
      timestamp: at,
      message: {
        ...{ mid: id, is_echo: true, app_id: message?.app_id, metadata: "r-1", text: "Hola" },
        reply_to: { mid: "m_before" },
      },
    });
    expect(message?.app_id).to.be.a("number");
    expect(delivered).to.deep.include({ sender: { id: ana }, recipient: { id: "3001" } });
    expect(delivered?.delivery).to.deep.equal({ mids: [id], watermark: at });
    expect(read).to.deep.include({ sender: { id: ana }, recipient: { id: "3001" }, read: { watermark: at } });
    expect(bench.receiver.taken.every(({ path }) => path === "/webhooks/page")).to.equal(true);
    await eventually(async () => (await bench.accepted())[0]?.statuses?.toString() === "echo,delivered,read");
  });

  it("include an echo without metadata and a read report of the message on a photo account", async () => {
    const attachment = { type: "image", payload: { url: "https://example.org/a.jpg" } };
    const id = await post("3002", ana, { attachment, metadata: "r-1" });
    await untilTold(2);
    const [echo, read] = told();
    expect(echo?.message).to.deep.equal({ mid: id, is_echo: true, attachments: [attachment] });
    expect(read?.read).to.deep.equal({ mid: id });
    expect(bench.receiver.taken.every(({ path }) => path === "/webhooks/photo")).to.equal(true);
  });

  it("include one receipt for all messages to a customer", async () => {
    await behave({ paused: true });
    const ids: string[] = [];
    for (const to of [ana, ana, ana, eva]) ids.push(await post("3001", to, { text: "Hola" }));
    expect(told()).to.be.empty;
    await behave({ paused: false });
    await untilTold(4 + 2 + 2);
    const [first, second] = told().filter(({ delivery }) => delivery);
    expect(first?.delivery?.mids).to.deep.equal(ids.slice(0, 3));
    expect(second?.delivery?.mids).to.deep.equal(ids.slice(3));
    expect(second?.sender).to.deep.equal({ id: eva });
  });

  it("are not sent for muted customers, but for all others", async () => {
    await behave({ mute: [ana, `+${customer}`] });
    await post("3001", ana, { text: "a" });
    await bench.sent();
    await post("3002", eva, { text: "b" });
    await untilTold(2);
    expect(told()[0]?.recipient).to.deep.equal({ id: eva });
    expect((await bench.control("GET", "/webhooks")).body).to.deep.include({ mute: [ana, customer], pending: 0 });
    expect(bench.receiver.statuses()).to.be.empty;
    await bench.control("DELETE");
    await post("3001", ana, { text: "c" });
    await untilTold(5);
  });

  it("include only an echo for a message that fails", async () => {
    await behave({ fail_numbers: [ana] });
    await post("3001", ana, { text: "a" });
    await post("3001", eva, { text: "b" });
    await untilTold(4);
    expect(
      told()
        .filter(({ delivery, read }) => delivery || read)
        .map(({ sender }) => sender.id),
    ).to.deep.equal([eva, eva]);
  });

  it("are repeated as requested, sent again until they are accepted, and can be shuffled", async () => {
    bench.receiver.answer = (nth) => (nth <= 2 ? 503 : 200);
    await behave({ repeat: 2 });
    await post("3002", ana, { text: "a" });
    await untilTold(4);
    expect(kinds()).to.deep.equal(["echo", "echo", "read", "read"]);

    await bench.control("DELETE");
    await behave({ paused: true, shuffled: true, seed: 5 });
    for (let count = 0; count < 10; count += 1) await post("3002", ana, { text: `${count}` });
    await behave({ paused: false });
    await untilTold(4 + 20);
    const shuffled = kinds().slice(4);
    expect(shuffled.filter((kind) => kind === "echo")).to.have.length(10);
    expect(shuffled.slice(0, 10)).to.include("read");
  });

  it("reach other channels while the receiver refuses those of pages", async () => {
    bench.receiver.refuses = (path) => path === "/webhooks/page";
    await post("3001", ana, { text: "a" });
    const id = await bench.sent();
    await bench.receiver.until(() => bench.receiver.of(id).length === 3);
    expect(told()).to.be.empty;
  });

  it("include echoes without our metadata for messages from the platform's own app", async () => {
    const write = (page: string, body: object) => bench.control("POST", `/pages/${page}/customers/${ana}/write`, body);
    const { body } = await write("3001", { text: "Ya va", timestamp: 1_760_000_000, repeat: 2 });
    expect(body).to.deep.equal({ id: body.id, delivered: true });
    const [echo, again] = told();
    expect(echo).to.deep.equal({
      sender: { id: "3001" },
      recipient: { id: ana },
      timestamp: 1_760_000_000_000,
      message: { mid: body.id, is_echo: true, app_id: 263902037430900, text: "Ya va" },
    });
    expect(again).to.deep.equal(echo);
    await write("3002", { text: "Ya va", id: "mid-7" });
    expect(told().at(-1)?.message).to.deep.equal({ mid: "mid-7", is_echo: true, text: "Ya va" });
    expect((await write("3009", { text: "a" })).status).to.equal(400);
    expect((await write("3001", {})).body.error).to.match(/text must be/);
    expect(await bench.accepted()).to.be.empty;
  });
});
