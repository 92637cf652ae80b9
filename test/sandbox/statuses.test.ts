import { createHmac } from "node:crypto";
import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { anAccount, appSecret, Bench, customer, Receiver } from "./support.ts";

describe("the sandbox's delivery statuses", () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.start({ accounts: [anAccount(), anAccount({ accountId: "1002", phoneNumberId: "2002" })] });
  });
  afterEach(() => bench.stop());

  const receiver = () => bench.receiver;
  const behave = (behaviour: object) => bench.control("POST", "/webhooks", behaviour);
  const sendMany = (count: number) => Promise.all(Array.from({ length: count }, () => bench.sent()));
  const inOrder = ["sent", "delivered", "read"];

  it("follow each message in order, signed and with its reference", async () => {
    const id = await bench.sent({ biz_opaque_callback_data: "r-1" });
    await receiver().until(() => receiver().of(id).length === 3);
    expect(receiver().of(id)).to.deep.equal(inOrder);

    for (const { raw, signature } of receiver().received) {
      expect(signature).to.equal(`sha256=${createHmac("sha256", appSecret).update(raw).digest("hex")}`);
    }
    const [first] = receiver().taken;
    const [status] = receiver().statuses();
    expect(status?.timestamp).to.match(/^\d{10}$/);
    expect(first?.payload).to.deep.equal({
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
                statuses: [
                  {
                    id,
                    status: "sent",
                    timestamp: status?.timestamp,
                    recipient_id: customer,
                    biz_opaque_callback_data: "r-1",
                  },
                ],
              },
            },
          ],
        },
      ],
    });
    await eventually(async () => (await bench.accepted())[0]?.statuses?.toString() === inOrder.toString());
  });

  it("share webhooks with others, with one entry for each account", async () => {
    await behave({ paused: true });
    const ids = await sendMany(150);
    const elsewhere = (await bench.send({}, "2002")).body.messages as { id: string }[];
    await behave({ paused: false });
    await receiver().until(() => receiver().statuses().length === 151 * 3);
    for (const id of [...ids, elsewhere[0]?.id ?? ""]) expect(receiver().of(id)).to.deep.equal(inOrder);

    const sizes = receiver().taken.map(({ payload }) =>
      payload.entry.reduce((sum, { changes }) => sum + (changes[0]?.value.statuses?.length ?? 0), 0),
    );
    expect(Math.max(...sizes)).to.equal(100);
    expect(receiver().taken.some(({ payload }) => payload.entry.length === 2)).to.equal(true);
  });

  it("are sent again until they are accepted, in the same order", async () => {
    receiver().answer = (nth) => (nth <= 2 ? 503 : 200);
    const id = await bench.sent();
    await receiver().until(() => receiver().of(id).length === 3);
    expect(receiver().of(id)).to.deep.equal(inOrder);
    expect(receiver().received).to.have.length(5);
    const { body } = await bench.control("GET", "/webhooks");
    expect(body).to.include({ delivered: 3, refused: 2, dropped: 0 });
  });

  it("wait while they are paused", async () => {
    await behave({ paused: true });
    const id = await bench.sent();
    expect((await bench.control("GET", "/webhooks")).body).to.include({ paused: true, pending: 1 });
    const said = await bench.control("POST", `/customers/${customer}/say`, { text: "hola" });
    expect(said.body.delivered).to.equal(true); // Without the pause, a status would have arrived by now.
    expect(receiver().of(id)).to.be.empty;
    await behave({ paused: false });
    await receiver().until(() => receiver().of(id).length === 3);
  });

  it("have an order that depends on the seed when they are shuffled", async () => {
    const orders: string[][] = [];
    for (const seed of [1, 1, 2]) {
      await bench.control("DELETE");
      await behave({ paused: true, shuffled: true, seed });
      const ids: string[] = [];
      for (let count = 0; count < 20; count += 1) ids.push(await bench.sent());
      await behave({ paused: false });
      await receiver().until(() => ids.every((id) => receiver().of(id).length === 3));
      for (const id of ids) expect(receiver().of(id)).to.have.members(inOrder);
      expect(ids.some((id) => receiver().of(id)[0] !== "sent")).to.equal(true);
      const own = receiver()
        .statuses()
        .filter(({ id }) => ids.includes(id));
      orders.push(own.map(({ id, status }) => `${ids.indexOf(id)} ${status}`));
    }
    expect(orders[0]).to.deep.equal(orders[1]);
    expect(orders[0]).to.not.deep.equal(orders[2]);
  });

  it("are repeated as often as requested", async () => {
    await behave({ repeat: 3 });
    const id = await bench.sent();
    await receiver().until(() => receiver().of(id).length === 9);
    expect(receiver().of(id)).to.deep.equal(inOrder.flatMap((status) => [status, status, status]));
  });

  it("end with failed for the configured numbers", async () => {
    await behave({ fail_numbers: [`+${customer}`], fail_code: 131049 });
    const id = await bench.sent();
    await receiver().until(() => receiver().of(id).length === 2);
    expect(receiver().of(id)).to.deep.equal(["sent", "failed"]);
    const failed = receiver()
      .statuses()
      .find(({ status }) => status === "failed");
    expect(failed?.errors?.[0]).to.include({ code: 131049 });
  });

  it("are deleted by a reset", async () => {
    await behave({ paused: true, repeat: 2 });
    await sendMany(5);
    await bench.control("DELETE");
    const { body } = await bench.control("GET", "/webhooks");
    expect(body).to.include({ paused: false, repeat: 1, pending: 0 });
    const id = await bench.sent();
    await receiver().until(() => receiver().of(id).length === 3);
    expect(receiver().statuses()).to.have.length(3);
  });

  it("go to the URL of the control routes, signed with the secret set there", async () => {
    const other = new Receiver();
    const { url } = (await bench.control("POST", "/webhook", { url: `${await other.start()}?x=1`, appSecret: "s2" }))
      .body;
    expect(url).to.match(/x=1$/);
    const id = await bench.sent();
    await other.until(() => other.of(id).length === 3);
    const [first] = other.taken;
    expect(first?.signature).to.equal(
      `sha256=${createHmac("sha256", "s2")
        .update(first?.raw ?? "")
        .digest("hex")}`,
    );
    expect(receiver().received).to.be.empty;
    other.stop();
  });
});
