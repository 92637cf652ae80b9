import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { CampaignWorld, campaignBusiness, contactId } from "./campaign-support.ts";

interface Row {
  readonly state: string;
  readonly attempt: number;
  readonly setbacks: number;
  readonly own_setbacks: number;
  readonly held_back: boolean;
  readonly due_in: number;
  readonly error_code: number | null;
  readonly error_reason: string | null;
}

/** Long enough for any answer in these tests, and short enough to wait for an answer that never comes. */
const timeoutMs = "2000";
const plain = { plantilla_id: 102, paramMapping: undefined };

describe("a campaign with failures", () => {
  let all: CampaignWorld;
  before(async () => {
    all = await CampaignWorld.start(
      [1, 2, 3].map((id) => campaignBusiness(id)),
      {
        MESSAGING_PLATFORM_TIMEOUT_MS: timeoutMs,
      },
    );
  });
  after(() => all.stop());
  afterEach(() => all.calm());

  const rows = (id: number, where = "true"): Promise<Row[]> =>
    all.rows<Row>(
      `select state, attempt, setbacks, own_setbacks, held_back, error_code, error_reason,
              extract(epoch from greatest(due_at, now()) - now())::int as due_in
       from campaign_recipients where campaign_id = $1 and ${where} order by position`,
      [id],
    );
  const messages = (id: number) =>
    all.rows<{ state: string; attempt: number }>(
      "select state, attempt from messages where campaign_id = $1 order by id",
      [id],
    );
  const hurry = async (id: number): Promise<void> => {
    await all.rows("update campaign_recipients set due_at = now() where campaign_id = $1 and state = 'queued'", [id]);
    all.wake();
  };

  it("is paused with the reason if no message can succeed, and continues after that", async () => {
    const inbox = await all.world.listen(101);
    await all.fault({ code: 132001, count: 1_000 });
    const id = await all.register(all.body(40));
    const { counts, pause_reason } = await all.becomes(id, { state: "paused" }, { sending: 0 });
    expect(pause_reason).to.match(/^132001: /);
    expect(counts).to.include({ queued: 40, failed: 0, unknown: 0 });
    await inbox.hears(({ payload }) => payload.state === "paused" && payload.pause_reason?.startsWith("132001"));

    await all.world.control("DELETE", "/faults");
    await all.act(id, "resume");
    await all.becomes(id, { state: "completed", pause_reason: null }, { read: 40 });
    expect(await all.accepted(40)).to.have.length(40);
  });

  for (const [code, said] of [
    [132015, "Template is paused"],
    [132016, "Template is disabled"],
  ] as const) {
    it(`is paused by a refusal of code ${code} with all others of its template, and none continues by itself`, async () => {
      const later = { ...plain, schedule_at: "2099-01-01T00:00:00Z" };
      const waiting = await all.register(all.body(2, later));
      const ofOtherTemplate = await all.register(all.body(2, { ...later, plantilla_id: 101 }));
      const ofOtherBusiness = await all.register(all.body(2, { ...later, plantilla_id: 202 }, 2), 2);
      const inbox = await all.world.listen(101);
      await all.fault({ code, message: said, count: 1_000 });
      const id = await all.register(all.body(40, plain));
      const { pause_reason } = await all.becomes(id, { state: "paused" }, { sending: 0, queued: 40 });
      expect(pause_reason).to.match(new RegExp(`^${code}: .*${said}`));
      await all.becomes(waiting, { state: "paused", pause_reason }, { queued: 2 });
      await inbox.hears(({ payload }) => payload.campaign_id === waiting && payload.pause_reason === pause_reason);
      expect(await all.status(ofOtherTemplate)).to.include({ state: "running", pause_reason: null });
      expect(await all.status(ofOtherBusiness, 2)).to.include({ state: "running", pause_reason: null });

      await all.world.control("DELETE", "/faults");
      await all.rows("update campaigns set starts_at = now() where id = $1", [waiting]);
      all.wake();
      await all.settle();
      expect(await all.accepted(40)).to.deep.equal([]);
      expect(await all.status(waiting)).to.include({ state: "paused" });
      await all.act(waiting, "resume");
      await all.becomes(waiting, { state: "completed" }, { read: 2 });
      expect(await all.status(id)).to.include({ state: "paused" });
    });
  }

  it("is paused by the refusal of a single message with the same template, but not with another one", async () => {
    const later = { ...plain, schedule_at: "2099-01-01T00:00:00Z" };
    const id = await all.register(all.body(2, later));
    const ofOtherTemplate = await all.register(all.body(2, { ...later, plantilla_id: 101 }));
    const inbox = await all.world.listen(101);
    const send = () =>
      request(`${all.world.api}/chats/enviar/plantilla/business`, {
        method: "POST",
        headers: { "x-api-key": all.world.appKey(1) },
        body: { empresa_id: 1, phone_number: "59170000999", plantilla_id: plain.plantilla_id },
      });
    await all.fault({ code: 131026, message: "Undeliverable", count: 1 });
    expect((await send()).status).to.equal(400);
    expect(await all.status(id)).to.include({ state: "running" });
    await all.fault({ code: 132015, message: "Template is paused", count: 1 });
    expect((await send()).status).to.equal(400);
    const { state, pause_reason } = await all.status(id);
    expect(state).to.equal("paused");
    expect(pause_reason).to.match(/^132015: .*Template is paused/);
    await inbox.hears(({ payload }) => payload.campaign_id === id && payload.state === "paused");
    expect(await all.status(ofOtherTemplate)).to.include({ state: "running", pause_reason: null });
    await all.world.control("DELETE", "/faults");
  });

  it("is paused if its number's token cannot be read, stops no other number, and continues with a new token", async () => {
    const senders = resolve(all.world.container, tokens.senderDirectory);
    const sender = await senders.of(1, "platform-apicloud");
    if (!sender) throw new Error("no number");
    const inbox = await all.world.listen(101);
    const later = { ...plain, schedule_at: "2099-01-01T00:00:00Z" };
    const id = await all.register(all.body(3, later));
    const other = await all.register(all.body(3, { ...later, plantilla_id: 202 }, 2), 2);
    await all.rows("update senders set sealed_token = sealed_token || 'x' where business_id = 1");
    await all.rows("update campaigns set starts_at = now() where id = any($1)", [[id, other]]);
    all.wake();
    await all.becomes(other, { state: "completed" }, { read: 3 }, 2);
    const { pause_reason } = await all.becomes(id, { state: "paused" }, { queued: 3 });
    expect(pause_reason).to.include("token of its number cannot be read");
    await inbox.hears(({ payload }) => payload.campaign_id === id && payload.state === "paused");

    const taken = await senders.add(2, sender).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(taken).to.equal(`${sender.platformId} belongs to another business`);
    const given = await senders.add(1, sender);
    expect([given.id, given.wasThere]).to.deep.equal([sender.id, true]);
    await all.act(id, "resume");
    await all.becomes(id, { state: "completed" }, { read: 3 });
  });

  it("continues at once after it is resumed while its number sends for another campaign", async () => {
    await all.rows("update senders set messages_per_second = 60 where business_id = 1");
    const busy = await all.register(all.body(60, plain));
    const id = await all.register(all.body(3, { ...plain, plantilla_id: 105 }));
    await all.becomes(id, { state: "paused" }, { queued: 3 });
    await all.rows(
      `update campaigns set template = jsonb_set(template, '{platformName}', '"template_102"') where id = $1`,
      [id],
    );
    // The worker has cached the campaign with its old template, so the resumed campaign fails and is paused again.
    await all.act(id, "resume");
    await all.becomes(id, { state: "paused" }, { queued: 3 });
    const [row] = await rows(id);
    expect(row?.setbacks).to.be.greaterThan(1);
    await all.becomes(busy, { state: "completed" }, { read: 60 });
    await all.rows("update senders set messages_per_second = 1000 where business_id = 1");
  });

  it("slows down if the number exceeds its rate, and loses no recipient", async () => {
    await all.fault({ code: 130429, count: 8, retry_after: 0 });
    const id = await all.register(all.body(40));
    await all.becomes(id, { state: "completed" }, { read: 40, failed: 0, unknown: 0 });
    expect(await all.accepted(40)).to.have.length(40);
    expect((await rows(id)).reduce((sum, { setbacks }) => sum + setbacks, 0)).to.equal(8);
  });

  it("waits as long as the platform requests, and meanwhile leaves its worker to others", async () => {
    await all.fault({ code: 130429, count: 1, retry_after: 3_600 });
    const id = await all.register(all.body(40, {}, 3), 3);
    await eventually(async () => (await rows(id, "setbacks = 1")).length === 1);
    await all.becomes(id, { state: "running" }, { sending: 0 }, 3);
    const [waiting] = await rows(id, "setbacks = 1");
    expect(waiting).to.include({ state: "queued", error_code: 130429 });
    expect(waiting?.due_in).to.be.within(3_500, 3_600);
    const free = "select true as free from senders where business_id = 3 and drained_by is null";
    await eventually(async () => (await all.rows(free)).length === 1);
    expect(await all.lease(1)).to.deep.equal([]);
    expect(await all.accepted(40)).to.have.length.below(40);
    // Another sender is not affected.
    const other = await all.register(all.body(5));
    await all.becomes(other, { state: "completed" }, { read: 5 });
  });

  it("tries a recipient with too many messages again later, and meanwhile sends to the others", async () => {
    await all.fault({ code: 131056 });
    const id = await all.register(all.body(10));
    await all.becomes(id, { state: "running" }, { read: 9, queued: 1 });
    const [late] = await rows(id, "state = 'queued'");
    expect(late).to.include({ setbacks: 0, own_setbacks: 1, attempt: 1, error_code: 131056 });
    expect(late?.due_in).to.be.within(1, 4);
    await hurry(id);
    await all.becomes(id, { state: "completed" }, { read: 10 });
    expect(await all.accepted(10)).to.have.length(10);
  });

  it("tries a recipient again one day after the platform held back its message, and then gives up", async () => {
    await all.fault({ code: 131049 });
    const id = await all.register(all.body(3));
    await all.becomes(id, { state: "running" }, { read: 2, queued: 1 });
    const [late] = await rows(id, "state = 'queued'");
    expect(late?.due_in).to.be.within(86_000, 86_400);
    await all.fault({ code: 131049 });
    await hurry(id);
    await all.becomes(id, { state: "completed" }, { read: 2, failed: 1 });
  });

  it("gives a held back message one more attempt, even if the number exceeds its rate meanwhile", async () => {
    await all.fault({ code: 131049 });
    const id = await all.register(all.body(1));
    await all.becomes(id, { state: "running" }, { queued: 1, sending: 0 });
    await eventually(async () => (await rows(id))[0]?.held_back);
    await all.fault({ code: 130429, count: 1, retry_after: 3_600 });
    await hurry(id);
    await eventually(async () => (await rows(id))[0]?.setbacks === 1);
    await all.fault({ code: 131049 });
    await all.rows("update senders set rests_until = null, drained_until = null");
    await hurry(id);
    await all.becomes(id, { state: "completed" }, { failed: 1 });

    await all.fault({ code: 131049 });
    await all.act(id, "retry-failed");
    await eventually(async () => (await rows(id))[0]?.held_back);
    expect((await rows(id))[0]).to.include({ state: "queued", setbacks: 0, own_setbacks: 0 });
  });

  it("counts the sender's setbacks apart from those of a recipient with too many messages", async () => {
    const id = await all.register(all.body(1, { schedule_at: "2099-01-01T00:00:00Z" }));
    await all.rows("update campaign_recipients set attempt = 20, setbacks = 20 where campaign_id = $1", [id]);
    await all.fault({ code: 131056 });
    await all.rows("update campaigns set starts_at = now() where id = $1", [id]);
    all.wake();
    await eventually(async () => (await rows(id))[0]?.own_setbacks === 1);
    const [row] = await rows(id);
    expect(row).to.include({ state: "queued", setbacks: 20 });
    expect(row?.due_in).to.be.within(1, 4);
  });

  it("marks only the unreachable recipient as failed, and stores no message in that chat", async () => {
    await all.fault({ code: 131026 });
    const id = await all.register(all.body(5));
    await all.becomes(id, { state: "completed" }, { read: 4, failed: 1 });
    const [failed] = await rows(id, "state = 'failed'");
    expect(failed).to.include({ error_code: 131026, attempt: 1 });
    expect(await messages(id)).to.have.length(4);
  });

  it("marks only a recipient with too long a text as failed, and sends to the others", async () => {
    const body = all.body(5);
    const [first, second, third, ...others] = body.contacts as object[];
    const id = await all.register({
      ...body,
      contacts: [first, second, { ...third, nombre: "x".repeat(1_100) }, ...others],
    });
    await all.becomes(id, { state: "completed" }, { read: 4, failed: 1 });
    expect((await rows(id, "state = 'failed'"))[0]).to.include({ error_code: 132005, attempt: 1 });
  });

  it("marks recipients with empty parameters as failed, because the platform refuses them", async () => {
    const body = all.body(2);
    const contacts = [
      { nombre: "", numero: all.phone(0), pedido: "1" },
      { nombre: "Eva", numero: all.phone(1), pedido: "2" },
    ];
    const id = await all.register({ ...body, contacts });
    await all.becomes(id, { state: "completed" }, { read: 1, failed: 1 });
  });

  it("skips and counts contacts who opted out before or after the registration", async () => {
    await all.rows("update contacts set opted_out_at = now() where business_id = 1 and id = any($1)", [
      [contactId(1), contactId(3)],
    ]);
    const id = await all.register(all.body(4, { schedule_at: "2099-01-01T00:00:00Z" }));
    await all.rows("update contacts set opted_out_at = now() where business_id = 1 and id = $1", [contactId(4)]);
    await all.rows("update campaigns set starts_at = now() where id = $1", [id]);
    all.wake();
    await all.becomes(id, { state: "completed" }, { read: 1, skipped: 3 });
    expect((await all.accepted(4)).map(({ to }) => to)).to.deep.equal([all.phone(1)]);
    expect((await all.recipients(id, "?state=skipped"))[0].error).to.equal("El contacto no quiere recibir promociones");
    expect(await messages(id)).to.have.length(1);
  });

  it("skips any number of contacts in a row", async () => {
    await all.rows("update senders set messages_per_second = 20 where business_id = 1");
    await all.rows("update contacts set opted_out_at = now() where business_id = 1 and id < $1", [contactId(60)]);
    const id = await all.register(all.body(60));
    await all.becomes(id, { state: "completed" }, { read: 1, skipped: 59 });
    await all.rows("update senders set messages_per_second = 1000 where business_id = 1");
  });

  it("stores that a contact opted out if the platform says so", async () => {
    await all.fault({ code: 131050 });
    const id = await all.register(all.body(1));
    await all.becomes(id, { state: "completed" }, { skipped: 1 });
    const [contact] = await all.rows<{ out: boolean }>(
      "select opted_out_at is not null as out from contacts where business_id = 1 and id = $1",
      [contactId(1)],
    );
    expect(contact?.out).to.equal(true);
    const next = await all.register(all.body(1));
    await all.becomes(next, { state: "completed" }, { skipped: 1 });
    expect((await rows(next))[0]).to.include({ error_code: null });
  });

  for (const [what, fault] of Object.entries({
    garbage: { garbage: true },
    "a connection that breaks": { reset: true },
    "a missing answer": { hang: true },
    "a gateway's page": { status: 502 },
  })) {
    it(`leaves a message unknown after ${what}, until its delivery status arrives`, async () => {
      const inbox = await all.world.listen(101);
      await all.world.control("POST", "/webhooks", { paused: true });
      await all.fault({ ...fault, accept: true, count: 2 });
      await all.fault({ ...fault, accept: false, count: 1 });
      const id = await all.register(all.body(6));
      await all.becomes(id, { state: "completed" }, { unknown: 3, sent: 3 });
      expect((await messages(id)).filter(({ state }) => state === "unknown")).to.have.length(3);

      await all.world.control("POST", "/webhooks", { paused: false });
      await all.becomes(id, { state: "completed" }, { unknown: 1, read: 5 });
      expect(await all.accepted(6)).to.have.length(5);
      const progress = ({ payload }: (typeof inbox.heard)[number]) =>
        payload.campaign_id === id && payload.counts.read === 5;
      await inbox.hears(progress);

      await all.act(id, "resend-unknown");
      await all.becomes(id, { state: "completed" }, { unknown: 0, read: 6 });
      const accepted = await all.accepted(6);
      expect(new Set(accepted.map(({ to }) => to)).size).to.equal(6);
      expect(accepted).to.have.length(6);
      // The recipient whose message was sent again has two messages. The first one stays unknown.
      await eventually(async () => (await messages(id)).filter(({ state }) => state === "read").length === 6);
      expect((await messages(id)).map(({ state }) => state).sort()).to.deep.equal([
        ...Array(6).fill("read"),
        "unknown",
      ]);
      const [funnel] = await all.rows<{ count: number }>(
        "select count(*)::int as count from funnel_events where campaign_id = $1 and type = 'campaign_sent'",
        [id],
      );
      expect(funnel?.count).to.equal(6);
    });
  }

  it("does not stop for good if the platform is unreachable for a while", async () => {
    const id = await all.register(all.body(3, { schedule_at: "2099-01-01T00:00:00Z" }));
    await all.rows("update campaign_recipients set attempt = 40, setbacks = 40 where campaign_id = $1", [id]);
    await all.fault({ code: 131057, count: 3, retry_after: 0 });
    await all.rows("update campaigns set starts_at = now() where id = $1", [id]);
    all.wake();
    await all.becomes(id, { state: "completed" }, { read: 3 });
  });

  it("takes turns with other campaigns of its number", async () => {
    await all.rows("update senders set messages_per_second = 15 where business_id = 1");
    const long = await all.register(all.body(60, plain));
    await all.becomes(long, { state: "running" });
    const short = await all.register(all.body(5, plain));
    await all.becomes(short, {}, { read: 5 });
    expect((await all.status(long)).counts.queued).to.be.greaterThan(0);
    await all.rows("update senders set messages_per_second = 1000 where business_id = 1");
    await all.becomes(long, { state: "completed" }, { read: 60 });
  });

  it("gives way to direct sends, which are answered at once", async () => {
    await all.rows("update senders set messages_per_second = 60 where business_id = 1");
    const id = await all.register(all.body(60, plain));
    await eventually(async () => (await all.status(id)).counts.queued < 60);
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, n) =>
        all.world.post("/chats/enviar/plantilla/business", {
          empresa_id: 1,
          phone_number: String(59_175_000_000 + n),
          plantilla_id: 102,
          parameters: [],
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(15).fill(200));
    expect((await all.status(id)).counts.queued).to.be.greaterThan(0);
    await all.becomes(id, { state: "completed" }, { read: 60 });
    await all.rows("update senders set messages_per_second = 1000 where business_id = 1");
  });

  it("does not delay another business's campaign while its own requests hang", async () => {
    await all.fault({ hang: true, accept: true, count: 20 });
    const slow = await all.register(all.body(20));
    await eventually(async () => (await all.world.control("GET", "/faults")).length === 0);
    const other = await all.register(all.body(10, {}, 2), 2);
    await all.becomes(other, { state: "completed" }, { read: 10 }, 2);
    await all.becomes(slow, { state: "completed" }, { read: 20 });
  });
});
