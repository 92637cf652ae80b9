import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { sandboxAccountsOf } from "../../src/fixtures/businesses/platforms.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Queries, Statement } from "../../src/infra/postgres/database.ts";
import { DatabaseUnavailable } from "../../src/kernel/errors.ts";
import { PostgresCampaignControl } from "../../src/messaging/adapters/postgres/campaigns/campaign-control.ts";
import { PostgresCampaignQueue } from "../../src/messaging/adapters/postgres/campaigns/campaign-queue.ts";
import type { SenderLease } from "../../src/messaging/application/campaigns/ports.ts";
import type { CampaignAction } from "../../src/messaging/domain/campaign.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { CampaignWorld, campaignBusiness, contactId } from "./campaign-support.ts";

const later = { schedule_at: "2099-01-01T00:00:00Z" };
const noCounts = {
  queued: 0,
  sending: 0,
  unknown: 0,
  sent: 0,
  failed: 0,
  delivered: 0,
  read: 0,
  skipped: 0,
  cancelled: 0,
};

describe("campaigns that an operator controls", () => {
  let all: CampaignWorld;
  before(async () => {
    all = await CampaignWorld.start();
  });
  after(() => all.stop());
  afterEach(() => all.calm());

  /** Sets the state of recipients and of the campaign. */
  const put = async (id: number, state: string, recipients: Readonly<Record<string, readonly number[]>> = {}) => {
    const reason = state === "paused" ? "because" : null;
    const ended = state === "completed" || state === "cancelled";
    await all.rows(
      "update campaigns set state = $2, pause_reason = $3, finished_at = case when $4 then now() end where id = $1",
      [id, state, reason, ended],
    );
    for (const [own, positions] of Object.entries(recipients)) {
      await all.rows(
        `update campaign_recipients set state = $3, attempt = 1, settled_at = now()
         where campaign_id = $1 and position = any($2)`,
        [id, positions, own],
      );
    }
  };
  const begin = async (id: number) => {
    await all.rows("update campaigns set starts_at = now() where id = $1", [id]);
    all.wake();
  };

  /** Makes a campaign of business 1 due, and takes its sender's lease before a worker can take it. */
  const seize = (id: number): Promise<SenderLease> => {
    const { container } = all.world;
    const secrets = resolve(container, tokens.secrets);
    return resolve(container, tokens.database).transaction(async (transaction) => {
      const rows = (text: string, values: unknown[] = []) => transaction.rows({ name: "", text }, values);
      await rows("update campaigns set starts_at = now() where id = $1", [id]);
      await rows(
        "update senders set drained_until = now() - interval '1 second', rests_until = null where business_id = 1",
      );
      const queue = new PostgresCampaignQueue(oneCell(transaction), secrets, {
        senderLeaseSeconds: 60,
        recipientLeaseSeconds: 60,
      });
      const [lease] = await queue.lease(randomUUID(), 1, (_businessId, _campaignIds, error) => {
        throw error;
      });
      if (!lease) throw new Error("the number cannot be leased");
      return lease;
    });
  };

  describe("the start of a campaign", () => {
    it("comes at its time, and not before", async () => {
      const id = await all.register(all.body(3, later));
      const other = await all.register(all.body(1));
      await all.becomes(other, { state: "completed" }, { read: 1 });
      expect(await all.status(id)).to.deep.include({
        state: "running",
        schedule_at: "2099-01-01T00:00:00.000Z",
        counts: { ...noCounts, queued: 3 },
      });
      await begin(id);
      await all.becomes(id, { state: "completed" }, { read: 3 });
    });

    it("reads a time without a zone in the business's zone", async () => {
      const id = await all.register(all.body(1, { schedule_at: "2099-01-01T09:30" }));
      expect((await all.status(id)).schedule_at).to.equal("2099-01-01T13:30:00.000Z");
    });

    it("comes at once if its time is past", async () => {
      const id = await all.register(all.body(1, { schedule_at: "2020-01-01" }));
      await all.becomes(id, { state: "completed" }, { read: 1 });
    });

    it("waits for the window between two local times, also over midnight", async () => {
      const [clock] = await all.rows<Record<string, string>>(
        `select to_char(local - interval '2 hours', 'HH24:MI') as two_ago, to_char(local - interval '1 hour', 'HH24:MI') as one_ago,
                to_char(local + interval '1 hour', 'HH24:MI') as in_one, to_char(local + interval '2 hours', 'HH24:MI') as in_two
         from (select now() at time zone 'America/La_Paz' as local) as clock`,
      );
      const { two_ago = "", one_ago = "", in_one = "", in_two = "" } = clock ?? {};
      const inside = [
        { from: one_ago, to: in_one },
        { from: one_ago, to: two_ago },
        { from: in_two, to: in_one },
      ];
      const outside = [
        { from: in_one, to: in_two },
        { from: two_ago, to: one_ago },
        { from: in_one, to: one_ago },
      ];
      const waiting: number[] = [];
      for (const send_window of outside) waiting.push(await all.register(all.body(1, { send_window })));
      for (const send_window of inside) {
        const id = await all.register(all.body(1, { send_window }));
        await all.becomes(id, { state: "completed" }, { read: 1 });
        expect((await all.status(id)).send_window).to.deep.equal(send_window);
      }
      for (const id of waiting) {
        expect((await all.status(id)).counts).to.include({ queued: 1 });
        await all.rows("update campaigns set window_from = null, window_to = null where id = $1", [id]);
      }
      all.wake();
      for (const id of waiting) await all.becomes(id, { state: "completed" }, { read: 1 });
    });
  });

  describe("actions", () => {
    it("pause and resume a campaign", async () => {
      const id = await all.register(all.body(3, later));
      const paused = await all.act(id, "pause");
      expect([paused.status, paused.json.state, paused.json.pause_reason]).to.deep.equal([
        200,
        "paused",
        "paused on request",
      ]);
      await begin(id);
      await all.becomes(await all.register(all.body(1)), { state: "completed" });
      expect((await all.status(id)).counts).to.include({ queued: 3 });
      const resumed = await all.act(id, "resume");
      expect([resumed.status, resumed.json.pause_reason]).to.deep.equal([200, null]);
      await all.becomes(id, { state: "completed" }, { read: 3 });
    });

    it("cancel a campaign for good: waiting recipients are cancelled, and sent messages stay", async () => {
      const other = all.body(1);
      const id = await all.register(all.body(3, later));
      await put(id, "running", { read: [1] });
      const cancelled = await all.act(id, "cancel");
      expect(cancelled.json).to.deep.include({ state: "cancelled", counts: { ...noCounts, read: 1, cancelled: 2 } });
      expect(cancelled.json.finished_at).to.be.a("string");
      await begin(id);
      await all.becomes(await all.register(other), { state: "completed" });
      expect(await all.accepted(3)).to.deep.equal([]);
    });

    it("cancel a campaign at once, even if one of its recipients is locked", async () => {
      const id = await all.register(all.body(3, later));
      const lock: Statement = {
        name: "",
        text: `select from campaign_recipients where campaign_id = ${id} and position = 2 for update`,
      };
      await resolve(all.world.container, tokens.database).transaction(async (transaction) => {
        await transaction.rows(lock, []);
        const { state, counts } = (await all.act(id, "cancel")).json;
        expect([state, counts.cancelled, counts.queued]).to.deep.equal(["cancelled", 2, 1]);
      });
      await all.settle();
      expect((await all.status(id)).counts).to.include({ cancelled: 3, queued: 0 });
    });

    it("queue only failed recipients again", async () => {
      const id = await all.register(all.body(4, later));
      await put(id, "completed", { failed: [1, 2], unknown: [3], read: [4] });
      await begin(id);
      expect((await all.act(id, "retry-failed")).json.state).to.equal("running");
      await all.becomes(id, { state: "completed" }, { read: 3, unknown: 1 });
      expect((await all.accepted(4)).map(({ to }) => to)).to.have.members([all.phone(0), all.phone(1)]);
    });

    it("send again to recipients with an unknown outcome, with a new reference", async () => {
      const id = await all.register(all.body(3, later));
      await put(id, "completed", { unknown: [1], failed: [2], read: [3] });
      const [before] = await all.rows<{ reference: string }>(
        "select reference::text from campaign_recipients where campaign_id = $1 and position = 1",
        [id],
      );
      await begin(id);
      expect((await all.act(id, "resend-unknown")).json.state).to.equal("running");
      await all.becomes(id, { state: "completed" }, { read: 2, failed: 1 });
      const [sent, ...others] = await all.accepted(3);
      expect(others).to.deep.equal([]);
      expect(sent).to.include({ to: all.phone(0) });
      expect(sent.reference).to.not.equal(before?.reference);
    });

    describe("on more recipients than one statement changes", () => {
      /** Applies an action, two recipients at a time, and calls `between` after each statement. */
      const applied = (id: number, action: CampaignAction, between: () => Promise<unknown>) => {
        const cell = resolve(all.world.container, tokens.database);
        const rows: Queries["rows"] = async (asked, values) => {
          const result = await cell.rows(asked, values);
          await between();
          return result as never;
        };
        return new PostgresCampaignControl(oneCell({ rows } as Queries), 2).apply(1, id, action);
      };

      for (const [action, state] of [
        ["retry-failed", "failed"],
        ["resend-unknown", "unknown"],
      ] as const)
        it(`queue each of them once, even if some come back meanwhile: ${action}`, async () => {
          const id = await all.register(all.body(6, later));
          await put(id, "completed", { [state]: [1, 2, 3, 5, 6], read: [4] });
          const answer = await applied(id, action, () => put(id, "completed", { [state]: [1] }));
          expect(answer).to.include({ before: "completed", done: true });
          expect((await all.status(id)).counts).to.include({ queued: 4, [state]: 1, read: 1 });
        });

      it("open the campaign again if it ended meanwhile", async () => {
        const id = await all.register(all.body(4, later));
        await put(id, "completed", { failed: [1, 2, 3], read: [4] });
        let statements = 0;
        await applied(id, "retry-failed", async () => (++statements === 1 ? put(id, "completed") : undefined));
        expect(await all.status(id)).to.include({ state: "running", finished_at: null });
      });

      it("stop if the campaign is cancelled meanwhile", async () => {
        const id = await all.register(all.body(4, later));
        await put(id, "running", { failed: [1, 2, 3, 4] });
        await applied(id, "retry-failed", () => put(id, "cancelled"));
        expect((await all.status(id)).counts).to.include({ queued: 2, failed: 2 });
      });

      it("cancel all of them", async () => {
        const id = await all.register(all.body(5, later));
        await applied(id, "cancel", async () => {});
        expect((await all.status(id)).counts).to.include({ cancelled: 5 });
      });

      it("are not said to be undone if the connection is lost after the first ones", async () => {
        for (const action of ["retry-failed", "cancel"] as const) {
          const id = await all.register(all.body(4, later));
          await put(id, "running", action === "cancel" ? {} : { failed: [1, 2, 3, 4] });
          let statements = 0;
          const cell = resolve(all.world.container, tokens.database);
          const rows: Queries["rows"] = (asked, values) => {
            statements += 1;
            if (statements === 1) return cell.rows(asked, values);
            throw new DatabaseUnavailable(new Error("ECONNREFUSED"), false);
          };
          const failure = await new PostgresCampaignControl(oneCell({ rows } as Queries), 2)
            .apply(1, id, action)
            .catch((error: unknown) => error);
          expect(failure, action).to.be.instanceOf(DatabaseUnavailable).that.includes({ mayHaveRun: true });
        }
      });
    });

    it("leave a campaign unchanged if no recipient needs to be queued again", async () => {
      const id = await all.register(all.body(1));
      await all.becomes(id, { state: "completed" }, { read: 1 });
      for (const action of ["retry-failed", "resend-unknown"]) {
        expect((await all.act(id, action)).json).to.include({ state: "completed" });
      }
    });

    it("keep a paused campaign paused if they queue recipients again", async () => {
      const id = await all.register(all.body(2, later));
      await put(id, "paused", { failed: [1], unknown: [2] });
      for (const action of ["retry-failed", "resend-unknown"]) {
        expect((await all.act(id, action)).json).to.include({ state: "paused", pause_reason: "because" });
      }
      expect((await all.status(id)).counts).to.include({ queued: 2 });
    });

    it("do not queue a recipient that a worker still holds", async () => {
      const id = await all.register(all.body(1, later));
      await put(id, "running", { unknown: [1] });
      await all.rows("update campaign_recipients set lease_until = now() + interval '1 hour' where campaign_id = $1", [
        id,
      ]);
      expect((await all.act(id, "resend-unknown")).json.counts).to.include({ unknown: 1 });
      await all.rows("update campaign_recipients set lease_until = null where campaign_id = $1", [id]);
    });

    it("are refused with 409 in the wrong states, and change nothing", async () => {
      const allowed: Readonly<Record<string, readonly string[]>> = {
        running: ["pause", "cancel", "retry-failed", "resend-unknown"],
        paused: ["resume", "cancel", "retry-failed", "resend-unknown"],
        cancelled: [],
        completed: ["retry-failed", "resend-unknown"],
      };
      const id = await all.register(all.body(1, later));
      for (const [state, actions] of Object.entries(allowed)) {
        for (const action of ["pause", "resume", "cancel", "retry-failed", "resend-unknown"]) {
          await put(id, state, state === "running" || state === "paused" ? { queued: [1] } : { read: [1] });
          const answer = await all.act(id, action);
          const expected = actions.includes(action) ? 200 : 409;
          expect(answer.status, `${action} of a campaign that is ${state}`).to.equal(expected);
          if (expected === 200) continue;
          expect(answer.json.message).to.include(state);
          expect((await all.status(id)).state).to.equal(state);
        }
      }
    });

    it("do not find another business's campaign", async () => {
      const id = await all.register(all.body(1, later));
      for (const action of ["pause", "resume", "cancel", "retry-failed", "resend-unknown"]) {
        expect((await all.act(id, action, 2)).status).to.equal(404);
      }
      for (const path of ["", "/recipients", "/failures"].map((rest) => `/campaigns/${id}${rest}`)) {
        expect((await all.world.get(path, 2)).json).to.deep.equal({ message: "Campaña no encontrada" });
      }
      expect((await all.world.get("/campaigns/abc")).status).to.equal(400);
      expect((await all.status(id)).state).to.equal("running");
    });

    it("publish nothing for a deleted campaign, and wait for nothing", async () => {
      const progress = resolve(all.world.container, tokens.campaignAnnouncer);
      progress.touch(2, [987_654]);
      await progress.settled();
    });

    it("are announced to clients", async () => {
      const inbox = await all.world.listen(101);
      const id = await all.register(all.body(1, later));
      for (const [action, state] of [
        ["pause", "paused"],
        ["resume", "running"],
        ["cancel", "cancelled"],
      ] as const) {
        await all.act(id, action);
        await inbox.hears(({ payload }) => payload.campaign_id === id && payload.state === state);
      }
    });

    it("have the same result while a worker sends the campaign", async () => {
      await all.rows("update senders set messages_per_second = 40 where business_id = 1");
      const id = await all.register(all.body(60));
      await eventually(async () => (await all.status(id)).counts.queued < 55);
      await all.act(id, "pause");
      const paused = await eventually(async () => {
        const { counts } = await all.status(id);
        return counts.sending === 0 && counts;
      });
      expect(paused.queued).to.be.greaterThan(0);
      await all.act(id, "resume");
      await eventually(async () => (await all.status(id)).counts.queued < paused.queued);
      await all.act(id, "cancel");
      const { counts } = await all.becomes(id, { state: "cancelled" }, { queued: 0, sending: 0 });
      await all.rows("update senders set messages_per_second = 1000 where business_id = 1");
      expect(counts.cancelled).to.be.greaterThan(0);
      expect(await all.accepted(60)).to.have.length(60 - counts.cancelled);
    });
  });

  describe("the clean-up after workers and operators", () => {
    it("completes a campaign whose last recipients were held by a worker that died", async () => {
      const id = await all.register(all.body(2, later));
      await put(id, "running", { read: [1], sending: [] });
      await all.rows(
        `update campaign_recipients set state = 'sending', attempt = 1, lease_until = now() - interval '1 second'
         where campaign_id = $1 and position = 2`,
        [id],
      );
      const inbox = await all.world.listen(101);
      await all.settle();
      expect(await all.status(id)).to.deep.include({
        state: "completed",
        counts: { ...noCounts, read: 1, unknown: 1 },
      });
      await inbox.hears(({ payload }) => payload.campaign_id === id && payload.state === "completed");
      const [message] = await all.rows<{ state: string }>("select state from messages where campaign_id = $1", [id]);
      expect(message?.state).to.equal("unknown");
    });

    it("accepts late results of a worker, in the chat and once in the funnel", async () => {
      const id = await all.register(all.body(4, later));
      const lease = await seize(id);
      const { recipients } = await all.queue.claim(lease, 4, 0);
      expect(recipients).to.have.length(4);
      await all.rows(
        "update campaign_recipients set lease_until = now() - interval '1 second' where campaign_id = $1",
        [id],
      );
      await all.settle();
      expect((await all.status(id)).counts).to.include({ unknown: 4 });

      const outcomes = [
        { state: "sent", platformMessageId: `wamid.late-${id}` },
        { state: "failed", code: 7, reason: "no" },
        { state: "skipped", code: 8, reason: "no more" },
        { state: "queued", dueInMs: 3_600_000 },
      ] as const;
      const tried = recipients.map((recipient, n) => ({
        ...recipient,
        ...(outcomes[n] ?? outcomes[0]),
      }));
      const recorder = resolve(all.world.container, tokens.recordCampaign);
      const frozen = await all.queue.frozen(1, [id]);
      // The outcomes are recorded twice, as if the database's first answer had been lost.
      for (let n = 0; n < 2; n += 1) await recorder.record(lease, tried, frozen);
      await all.queue.release(lease);
      expect((await all.status(id)).counts).to.include({ unknown: 0, sent: 1, failed: 1, skipped: 1, queued: 1 });
      const states = `
        select message.state from messages as message
        join campaign_recipients as recipient on recipient.business_id = 1 and recipient.reference = message.reference
        where message.business_id = 1 and message.campaign_id = $1 order by recipient.position`;
      const stored = (await all.rows<{ state: string }>(states, [id])).map(({ state }) => state);
      expect(stored).to.deep.equal(["sent", "failed", "failed", "unknown"]);
      const [funnel] = await all.rows<{ count: number }>(
        "select count(*)::int as count from funnel_events where campaign_id = $1 and type = 'campaign_sent'",
        [id],
      );
      expect(funnel?.count).to.equal(4);

      await all.rows("update campaign_recipients set due_at = now() where campaign_id = $1", [id]);
      await all.rows("update campaigns set state = 'running', finished_at = null where id = $1", [id]);
      all.wake();
      await all.becomes(id, { state: "completed" }, { read: 1, sent: 1 });
      await eventually(async () => {
        const now = (await all.rows<{ state: string }>(states, [id])).map(({ state }) => state);
        expect(now).to.deep.equal(["sent", "failed", "failed", "read"]);
        return true;
      });
    });

    it("sends to a recipient that returns to the queue of a completed campaign", async () => {
      const id = await all.register(all.body(1, later));
      await put(id, "completed");
      await begin(id);
      await all.settle();
      all.wake();
      await all.becomes(id, { state: "completed" }, { read: 1 });
    });

    it("cancels a recipient that returns to the queue of a cancelled campaign", async () => {
      const id = await all.register(all.body(1, later));
      await put(id, "cancelled");
      await all.settle();
      expect((await all.status(id)).counts).to.include({ queued: 0, cancelled: 1 });
    });

    it("does not send a message again whose delivery status arrives while it waits", async () => {
      const id = await all.register(all.body(1, later));
      const [row] = await all.rows<{ reference: string }>(
        "update campaign_recipients set attempt = 1, setbacks = 1 where campaign_id = $1 returning reference::text",
        [id],
      );
      const status = {
        id: "wamid.after-all",
        status: "delivered",
        timestamp: "1760000000",
        recipient_id: all.phone(0),
      };
      const metadata = { phone_number_id: "number-1" };
      await all.world.webhook({
        object: "whatsapp_business_account",
        entry: [
          {
            id: "account-1",
            changes: [
              {
                field: "messages",
                value: {
                  messaging_product: "whatsapp",
                  metadata,
                  statuses: [{ ...status, biz_opaque_callback_data: row?.reference }],
                },
              },
            ],
          },
        ],
      });
      await all.becomes(id, {}, { queued: 0, delivered: 1 });
      await begin(id);
      await all.settle();
      await all.becomes(id, { state: "completed" }, { delivered: 1 });
      expect(await all.accepted(1)).to.deep.equal([]);
      const stored = await all.rows<{ state: string }>("select state from messages where campaign_id = $1", [id]);
      expect(stored).to.deep.equal([{ state: "delivered" }]);
    });
  });

  describe("recipients of a campaign", () => {
    const csvOf = (id: number, query = ""): Promise<Answer> =>
      request(`${all.world.api}/campaigns/${id}/recipients${query}`, {
        headers: { "x-api-key": all.world.appKey(1), accept: "text/csv" },
      });

    it("are listed in the order of the request, a hundred on each page, and by state", async () => {
      const id = await all.register(all.body(60, later));
      await all.rows(
        `insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters)
         select 1, $1, n, 100000 + n, (59180000000 + n)::text, '{}' from generate_series(61, 250) as n`,
        [id],
      );
      await all.rows("update campaigns set total = 250 where id = $1", [id]);
      await put(id, "running", { failed: [2, 240, 250], read: [5] });

      const pages = await Promise.all(
        [1, 2, 3, 4].map(async (page) => (await all.world.get(`/campaigns/${id}/recipients?page=${page}`)).json),
      );
      expect(pages.map(({ data }) => data.length)).to.deep.equal([100, 100, 50, 0]);
      expect(pages.map(({ hasNextPage }) => hasNextPage)).to.deep.equal([true, true, false, false]);
      expect(pages.every(({ total }) => total === 250)).to.equal(true);
      const ids = pages.flatMap(({ data }) => data.map((row: Answer["json"]) => row.contacto_id));
      expect(ids.slice(0, 2)).to.deep.equal([contactId(1), contactId(2)]);
      expect(new Set(ids).size).to.equal(250);

      const failed = (await all.world.get(`/campaigns/${id}/recipients?state=failed`)).json;
      expect(failed).to.include({ total: 3, hasNextPage: false });
      expect(failed.data.map((row: Answer["json"]) => row.contacto_id)).to.deep.equal([contactId(2), 100_240, 100_250]);
      expect((await csvOf(id, "?state=failed")).text.trimEnd().split("\r\n")).to.have.length(4);
      for (const query of ["?state=lost", "?page=0", "?page=x"]) {
        expect((await all.world.get(`/campaigns/${id}/recipients${query}`)).status, query).to.equal(400);
      }
    });

    it("are counted by reason of failure, the most frequent first", async () => {
      const id = await all.register(all.body(4, later));
      await put(id, "running", { failed: [1, 2, 3] });
      await all.rows(
        `update campaign_recipients set error_code = 131026, error_reason = case position when 2 then 'b' else 'a' end
         where campaign_id = $1`,
        [id],
      );
      const { status, json } = await all.world.get(`/campaigns/${id}/failures`);
      expect(status).to.equal(200);
      expect(json).to.deep.equal({
        data: [
          { error_code: 131_026, error: "a", count: 2 },
          { error_code: 131_026, error: "b", count: 1 },
        ],
      });
    });

    it("are counted together if their reasons have the same words", async () => {
      const id = await all.register(all.body(6, later));
      await put(id, "running", { failed: [1, 2, 3, 4, 5, 6] });
      const reasons = [
        "the contact opted out",
        "the contact opted out",
        "connection failed: ECONNREFUSED",
        "no connection within 5 s",
        "too many requests under way",
        null,
      ];
      for (const [index, reason] of reasons.entries()) {
        await all.rows("update campaign_recipients set error_reason = $3 where campaign_id = $1 and position = $2", [
          id,
          index + 1,
          reason,
        ]);
      }
      const { data } = (await all.world.get(`/campaigns/${id}/failures`)).json;
      expect(data).to.deep.equal([
        { error_code: null, error: "El mensaje no salió: no hubo conexión con la plataforma", count: 3 },
        { error_code: null, error: "El contacto no quiere recibir promociones", count: 2 },
        { error_code: null, error: null, count: 1 },
      ]);
    });

    it("are exported as CSV in one stream without formulas", async () => {
      const id = await all.register(all.body(1, later));
      await all.rows(
        `insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters)
         select 1, $1, n, 100000 + n, (59180000000 + n)::text, '{}' from generate_series(2, 12000) as n`,
        [id],
      );
      const reasons = ["=1+1", "+1", "-1", "@x", "a,b", 'say "no"', "one\ntwo"];
      for (const [index, reason] of reasons.entries()) {
        await all.rows("update campaign_recipients set error_reason = $3 where campaign_id = $1 and position = $2", [
          id,
          index + 1,
          reason,
        ]);
      }
      const csv = await csvOf(id);
      expect(csv.type).to.equal("text/csv");
      expect(csv.headers["content-disposition"]).to.equal(`attachment; filename="campaign-${id}.csv"`);
      const lines = csv.text.split("\r\n");
      expect(lines[0]).to.equal("contacto_id,numero,state,attempt,message_id,error_code,error,fecha");
      expect(lines).to.have.length(12_002);
      expect(lines[1]).to.equal(`${contactId(1)},${all.phone(0)},queued,0,,,'=1+1,`);
      expect(lines.slice(2, 8).map((line) => line.replace(/^.*queued,0,,,/s, ""))).to.deep.equal([
        "'+1,",
        "'-1,",
        "'@x,",
        '"a,b",',
        '"say ""no""",',
        '"one\ntwo",',
      ]);
      expect(lines[12_000]).to.match(/^112000,/);
    });

    it("show the outcome of each message", async () => {
      await all.world.control("POST", "/webhooks", { fail_numbers: ["59179999999"] });
      const body = all.body(2);
      const contacts = [
        { nombre: "Ana", numero: all.phone(0) },
        { nombre: "Eva", numero: "59179999999" },
      ];
      const id = await all.register({ ...body, contacts });
      await all.becomes(id, { state: "completed" }, { read: 1, failed: 1 });
      const [read, failed] = await all.recipients(id);
      expect(read).to.include({
        contacto_id: contactId(1),
        numero: all.phone(0),
        state: "read",
        attempt: 1,
        error: null,
      });
      expect(read.message_id).to.match(/^wamid\./);
      expect(new Date(read.fecha).toISOString()).to.equal(read.fecha);
      expect(failed).to.include({ state: "failed", error_code: 131026 });
      expect(failed.error).to.be.a("string");
    });
  });

  it("are listed newest first, twenty on each page", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 23; n += 1) ids.push(await all.register(all.body(1, later, 2), 2));
    const first = (await all.world.get("/campaigns", 2)).json;
    const second = (await all.world.get("/campaigns?page=2", 2)).json;
    expect(first).to.include({ total: 23, page: 1, hasNextPage: true });
    expect(second).to.include({ total: 23, page: 2, hasNextPage: false });
    const listed = [...first.data, ...second.data].map(({ id }: Answer["json"]) => id);
    expect(listed).to.deep.equal(ids.reverse());
    expect((await all.world.get("/campaigns?page=3", 2)).json).to.deep.include({ total: 23, data: [] });
  });

  it("are filtered by state and by a part of the name", async () => {
    const named = (nombre: string) => all.register(all.body(1, { ...later, nombre }));
    const [half, other] = [await named("Rebaja 50% de Mayo"), await named("Rebaja 5 y 0")];
    const old = await named("REBAJA 50% de abril");
    await all.act(old, "cancel");
    const listed = async (query: string) => {
      const { status, json, text } = await all.world.get(`/campaigns?${query}`);
      expect(status, text).to.equal(200);
      expect(json.total).to.equal(json.data.length);
      return json.data.map(({ id }: Answer["json"]) => id);
    };
    expect(await listed("q=rebaja")).to.deep.equal([old, other, half]);
    expect(await listed(`q=${encodeURIComponent(" rebaja 50% ")}`)).to.deep.equal([old, half]);
    expect(await listed("q=rebaja&state=cancelled")).to.deep.equal([old]);
    expect(await listed("q=rebaja&state=running")).to.deep.equal([other, half]);
    expect((await all.world.get("/campaigns?q=rebaja", 2)).json.total).to.equal(0);
    expect((await all.world.get("/campaigns?state=over")).status).to.equal(400);
  });

  it("show how long sending will take", async () => {
    const id = await all.register(all.body(60, later));
    await all.rows("update senders set messages_per_second = 30 where business_id = 1");
    expect(await all.status(id)).to.include({ rate: 0, seconds_left: 2 });
    await all.rows("update senders set messages_per_second = 1000 where business_id = 1");
    // The campaign has started, and its window opens in two hours.
    await all.rows(
      `update campaigns set starts_at = now() - interval '1 minute',
         window_from = (now() at time zone timezone + interval '2 hours')::time,
         window_to = (now() at time zone timezone + interval '3 hours')::time
       where id = $1`,
      [id],
    );
    expect(await all.status(id)).to.include({ state: "running", rate: 0, seconds_left: null });
    expect((await all.act(id, "pause")).json.seconds_left).to.equal(null);
  });

  it("have a rate that counts only recipients to whom a message was sent", async () => {
    const id = await all.register(all.body(5, later));
    await put(id, "running", { skipped: [1, 2, 3], read: [4] });
    expect(await all.status(id)).to.include({ rate: 0.1 });
    await all.rows("update campaign_recipients set error_code = 131050 where campaign_id = $1 and position = 1", [id]);
    expect(await all.status(id)).to.include({ rate: 0.2 });
  });

  describe("the preview of a campaign", () => {
    const preview = (body: object, page = 1, businessId = 1) =>
      all.world.post(`/campaigns/preview?page=${page}`, body, businessId);

    it("shows each contact's text and problems, and neither sends nor stores anything", async () => {
      await all.rows("update contacts set opted_out_at = now() where id = $1", [contactId(2)]);
      const body = all.body(4);
      const [first, second, third] = body.contacts as object[];
      const contacts = [first, second, { ...third, pedido: " " }, { nombre: "Eva", numero: "5917" }];
      const before = await all.rows("select count(*) from campaigns");
      const answer = await preview({ ...body, contacts });
      expect(answer.status).to.equal(200);
      expect(answer.json).to.deep.equal({
        state: "APPROVED",
        limite_restante: null,
        total: 4,
        page: 1,
        hasNextPage: false,
        data: [
          {
            contacto_id: contactId(1),
            numero: all.phone(0),
            texto: "Hola Ana 0, tu pedido A-0 está listo.",
            problemas: [],
          },
          {
            contacto_id: contactId(2),
            numero: all.phone(1),
            texto: "Hola Ana 1, tu pedido A-1 está listo.",
            problemas: ["opted_out"],
          },
          {
            contacto_id: contactId(3),
            numero: all.phone(2),
            texto: "Hola Ana 2, tu pedido   está listo.",
            problemas: ["empty_parameter"],
          },
          {
            contacto_id: contactId(4),
            numero: "5917",
            texto: "Hola Eva, tu pedido unknown está listo.",
            problemas: ["wrong_number"],
          },
        ],
      });
      expect(await all.rows("select count(*) from campaigns")).to.deep.equal(before);
      expect(await all.accepted(4)).to.deep.equal([]);
    });

    it("shows the text of a template with named placeholders", async () => {
      const named = all.body(1, { plantilla_id: 106, paramMapping: { "1": "pedido", "2": "nombre" } });
      const [first] = (await preview(named)).json.data;
      expect(first).to.include({ texto: "Hola Ana 0, tu pedido A-0 está listo." });
    });

    it("warns of a text that is too long for the platform", async () => {
      const contacts = [994, 995].map((length) => ({
        nombre: "x".repeat(length),
        numero: all.phone(0),
        pedido: "A",
      }));
      const { data } = (await preview({ ...all.body(2), contacts })).json;
      expect(data.map(({ texto }: { texto: string }) => texto.length)).to.deep.equal([1_024, 1_025]);
      expect(data.map(({ problemas }: { problemas: string[] }) => problemas)).to.deep.equal([[], ["text_too_long"]]);
    });

    it("warns of a contact without a number, to which a campaign sends nothing", async () => {
      await all.rows(`insert into contacts (business_id, id, name, phone, known_on, platform_id)
        values (1, 19999, 'C', null, 'platform-page', '7100')`);
      const { data } = (await preview({ ...all.body(1), contacts_id: [19_999] })).json;
      expect(data.map(({ problemas }: { problemas: string[] }) => problemas)).to.deep.equal([["wrong_number"]]);
    });

    it("shows the template's approval and the rest of the monthly limit", async () => {
      expect((await preview(all.body(1, { plantilla_id: 103, paramMapping: undefined }))).json.state).to.equal(
        "PENDING",
      );
      expect((await preview(all.body(1, { plantilla_id: 105, paramMapping: undefined }))).json.state).to.equal(
        "no_status",
      );
      const missing = (await preview(all.body(1, { paramMapping: undefined }))).json.data[0];
      expect(missing.problemas).to.deep.equal(["missing_parameters"]);
      await all.rows(`insert into template_usage (business_id, month, used)
        values (2, date_trunc('month', now() at time zone 'America/La_Paz')::date, 8)`);
      // 8 templates are already used. The second limit is lower than that, so no template is left.
      for (const [limit, rest] of [
        [50, 42],
        [5, 0],
      ]) {
        await all.rows(
          `update businesses set feature_flags = feature_flags || '{"monthly_template_limit": ${limit}}' where id = 2`,
        );
        expect((await preview(all.body(1, {}, 2), 1, 2)).json.limite_restante).to.equal(rest);
      }
    });

    it("has a hundred contacts on each page", async () => {
      await all.rows(`insert into contacts (business_id, id, name, phone, platform_id)
        select 1, 20000 + n, 'C', (59188000000 + n)::text, '1' from generate_series(1, 150) as n`);
      const range = Array.from({ length: 150 }, (_, n) => n + 1);
      const body = {
        ...all.body(1),
        contacts_id: range.map((n) => 20_000 + n),
        contacts: range.map((n) => ({ nombre: "C", numero: String(59_188_000_000 + n) })),
      };
      const [first, second] = [(await preview(body)).json, (await preview(body, 2)).json];
      expect([first.data.length, first.hasNextPage, first.total]).to.deep.equal([100, true, 150]);
      expect([second.data.length, second.hasNextPage]).to.deep.equal([50, false]);
      expect(second.data[0].contacto_id).to.equal(20_101);
    });

    it("checks every contact on request, and shows the platform's quality of the number", async () => {
      const [number] = sandboxAccountsOf([campaignBusiness(1)]);
      await all.world.control("POST", "/accounts", { ...number, quality: "RED", messagingLimit: "TIER_2K" });
      const range = Array.from({ length: 150 }, (_, n) => n + 1);
      await all.rows(`insert into contacts (business_id, id, name, phone, platform_id, opted_out_at)
        select 1, 30000 + n, 'C', (59189000000 + n)::text, '1', case when n <= 120 then now() end
        from generate_series(1, 150) as n`);
      const body = {
        ...all.body(1),
        contacts_id: range.map((n) => 30_000 + n),
        contacts: range.map((n) => ({
          nombre: "C",
          numero: n === 150 ? "12" : String(59_189_000_000 + n),
          pedido: "A",
        })),
      };
      const check = async (page: number, of: object = body) =>
        (await all.world.post(`/campaigns/preview?check=true&page=${page}`, of)).json;
      const [first, second] = [await check(1), await check(2)];
      expect(first.revision).to.deep.equal({
        con_problemas: 121,
        problemas: {
          ...{ opted_out: 120, empty_parameter: 0, line_break_in_parameter: 0, wrong_number: 1 },
          ...{ missing_parameters: 0, text_too_long: 0 },
        },
        calidad: "RED",
        limite_diario: 2_000,
      });
      expect([first.total, first.data.length, first.hasNextPage]).to.deep.equal([150, 100, true]);
      expect([second.data.length, second.hasNextPage]).to.deep.equal([21, false]);
      expect(second.data.at(-1)).to.deep.include({ contacto_id: 30_150, problemas: ["wrong_number"] });
      await all.world.control("POST", "/faults", { path: "node", status: 500 });
      expect((await check(1)).revision).to.include({ calidad: null, limite_diario: null });
    });

    it("fails for the same reasons as the registration", async () => {
      expect((await preview(all.body(1, { plantilla_id: 201 }))).json).to.deep.equal({
        success: false,
        error: "Plantilla no encontrada",
      });
      expect((await preview(all.body(1, { empresa_id: 2 }))).status).to.equal(404);
      expect((await preview(all.body(1, { contacts: [] }))).status).to.equal(400);
      expect((await preview(all.body(1, { step: 99 }))).json.error).to.include("99");
      await all.world.control("POST", "/faults", { path: "message_templates", count: 2, status: 500 });
      expect((await preview(all.body(1))).status).to.equal(500);
    });
  });
});
