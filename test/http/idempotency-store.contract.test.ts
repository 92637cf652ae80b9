import { createHash } from "node:crypto";
import { expect } from "chai";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { PostgresIdempotencyStore } from "../../src/infra/postgres/idempotency-store.ts";
import type { IdempotencyStore, KeyClaim, KeyedRequest, KeyState, StoredAnswer } from "../../src/kernel/idempotency.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";
import { eventually } from "../support/wait.ts";
import { InMemoryIdempotencyStore } from "./in-memory-idempotency.ts";

const leaseSeconds = 120;
const oneDay = 86_400;

interface Subject {
  readonly store: IdempotencyStore;
  /** Makes all keys older. */
  age(seconds: number): Promise<void> | void;
}

const digestOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();

const aRequest = (changes: Partial<KeyedRequest> = {}): KeyedRequest => ({
  businessId: 1,
  caller: "user 1",
  operation: "makeThing",
  key: "a",
  digest: digestOf("this"),
  ...changes,
});

const anAnswer = (changes: Partial<StoredAnswer> = {}): StoredAnswer => ({
  status: 201,
  headers: { "X-Made": "yes" },
  contentType: "application/json",
  body: '{"name":"ñandú 😀 \\u0000 \\"quoted\\""}',
  ...changes,
});

function claimOf(begun: KeyState): KeyClaim {
  if (begun.kind !== "claimed") throw new Error(`the key was ${begun.kind}`);
  return begun.claim;
}

/** The contract of every implementation, including the fake that other tests use. */
function idempotencyStoreContract(name: string, create: () => Promise<Subject>): void {
  describe(name, () => {
    let subject: Subject;
    let store: IdempotencyStore;
    beforeEach(async () => {
      subject = await create();
      store = subject.store;
    });

    const claim = async (changes?: Partial<KeyedRequest>): Promise<KeyClaim> =>
      claimOf(await store.begin(aRequest(changes)));
    const claimOrKind = async (changes: Partial<KeyedRequest>): Promise<KeyClaim | string> => {
      const begun = await store.begin(aRequest(changes));
      return begun.kind === "claimed" ? begun.claim : begun.kind;
    };
    const kindOf = async (changes?: Partial<KeyedRequest>): Promise<string> =>
      (await store.begin(aRequest(changes))).kind;

    it("are claimed by the first request, and are in flight until its answer", async () => {
      await claim();
      expect(await kindOf()).to.equal("in-flight");
    });

    for (const answer of [anAnswer(), anAnswer({ body: null }), anAnswer({ status: 204, body: "", headers: {} })]) {
      it(`return the exact answer: ${JSON.stringify(answer)}`, async () => {
        await store.finish(await claim(), answer);
        for (let time = 1; time <= 2; time += 1) {
          expect(await store.begin(aRequest())).to.deep.equal({ kind: "answered", answer });
        }
      });
    }

    it("belong to one request, with or without an answer", async () => {
      const other = { digest: digestOf("that") };
      const held = await claim();
      expect(await kindOf(other)).to.equal("other-request");
      await store.finish(held, anAnswer());
      expect(await kindOf(other)).to.equal("other-request");
    });

    for (const scope of [{ businessId: 2 }, { caller: "key 1" }, { operation: "dropThing" }, { key: "A" }]) {
      it(`are independent of equal keys with ${JSON.stringify(scope)}`, async () => {
        await store.finish(await claim(), anAnswer());
        const other = await claim(scope);
        expect(await kindOf(scope)).to.equal("in-flight");
        await store.release(other);
        expect(await kindOf()).to.equal("answered");
      });
    }

    it("belong to one caller each, for any number of simultaneous callers", async () => {
      const callers = Array.from({ length: 10 }, (_, n) => ({ caller: `user ${n}` }));
      const claims = await Promise.all([...callers, ...callers].map(claimOrKind));
      expect(claims.filter((each) => each === "in-flight")).to.have.length(10);
      const claimed = claims.filter((each) => typeof each !== "string");
      await Promise.all(claimed.map((each, index) => store.finish(each, anAnswer({ status: 200 + index }))));
      const answers = await Promise.all(callers.map((each) => store.begin(aRequest(each))));
      const statuses = answers.map((each) => (each.kind === "answered" ? each.answer.status : 0));
      expect(statuses.toSorted((a, b) => a - b)).to.deep.equal(callers.map((_, index) => 200 + index));
    });

    it("stay valid for a caller after an equal key of another caller has expired", async () => {
      await store.finish(await claim(), anAnswer());
      await subject.age(oneDay - 60);
      const other = { caller: "user 2" };
      await store.finish(await claim(other), anAnswer({ status: 202 }));
      await subject.age(120);
      expect(await store.begin(aRequest(other))).to.deep.equal({ kind: "answered", answer: anAnswer({ status: 202 }) });
      await claim();
      expect(await kindOf(other)).to.equal("answered");
    });

    it("are free again once they are released", async () => {
      await store.release(await claim());
      await claim({ digest: digestOf("that") });
    });

    it("are abandoned if there is no answer within the lease, for the same request only", async () => {
      await claim();
      await subject.age(leaseSeconds - 10);
      expect(await kindOf()).to.equal("in-flight");
      await subject.age(20);
      expect(await kindOf()).to.equal("abandoned");
      expect(await kindOf()).to.equal("abandoned");
      expect(await kindOf({ digest: digestOf("that") })).to.equal("other-request");
    });

    it("store the answer of a late request", async () => {
      const held = await claim();
      await subject.age(leaseSeconds + 10);
      await store.finish(held, anAnswer());
      expect(await store.begin(aRequest())).to.deep.equal({ kind: "answered", answer: anAnswer() });
    });

    it("are stored for 24 hours with or without an answer, and can then be used again", async () => {
      await store.finish(await claim(), anAnswer());
      await claim({ key: "b" });
      await subject.age(oneDay - 60);
      expect([await kindOf(), await kindOf({ key: "b" })]).to.deep.equal(["answered", "abandoned"]);
      await subject.age(120);
      await claim({ digest: digestOf("that") });
      await claim({ key: "b" });
      expect(await kindOf({ digest: digestOf("that") })).to.equal("in-flight");
    });

    it("are not changed by a claim that is a day old", async () => {
      const late = await claim();
      await subject.age(oneDay + 60);
      const held = await claim();
      await store.finish(late, anAnswer());
      await store.release(late);
      expect(await kindOf()).to.equal("in-flight");
      await store.finish(held, anAnswer({ status: 200 }));
      expect(await store.begin(aRequest())).to.deep.equal({ kind: "answered", answer: anAnswer({ status: 200 }) });
    });

    for (const what of ["free", "a day old"]) {
      it(`are claimed by exactly one of 30 at once when they are ${what}`, async () => {
        if (what !== "free") await store.finish(await claim(), anAnswer());
        await subject.age(oneDay + 60);
        const kinds = await Promise.all(Array.from({ length: 30 }, () => kindOf()));
        expect(kinds.sort()).to.deep.equal(["claimed", ...Array.from({ length: 29 }, () => "in-flight")]);
      });
    }
  });
}

idempotencyStoreContract("idempotency keys in memory", async () => {
  const store = new InMemoryIdempotencyStore(leaseSeconds);
  return { store, age: (seconds) => store.age(seconds) };
});

describe("idempotency keys in PostgreSQL", () => {
  let opened: OpenDatabase;
  let database: Database;
  before(async () => {
    opened = await openDatabase(10);
    database = opened.database;
    await run("insert into businesses (id, name) overriding system value values (1, 'Uno'), (2, 'Dos')");
  });
  after(() => opened.close());

  const run = (text: string, values: readonly unknown[] = []) =>
    database.rows<{ key: string }>({ name: "", text }, values);
  const age = async (seconds: number): Promise<void> => {
    await run(
      `update idempotency_keys set created_at = created_at - make_interval(secs => $1),
              lease_until = lease_until - make_interval(secs => $1)`,
      [seconds],
    );
  };
  const emptied = async (): Promise<PostgresIdempotencyStore> => {
    await run("truncate idempotency_keys");
    return new PostgresIdempotencyStore(oneCell(database), leaseSeconds);
  };

  const waitsForLock = async (): Promise<void> => {
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await eventually(async () => (await run(waiting)).length > 0);
  };
  /** Runs `work` while another request claims the key. */
  const whileClaimed = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    let result: Promise<Result> | undefined;
    await database.transaction(async (transaction) => {
      claimOf(await new PostgresIdempotencyStore(oneCell(transaction), leaseSeconds).begin(aRequest()));
      result = work();
      await waitsForLock();
    });
    return (await result) as Result;
  };

  idempotencyStoreContract("as in every store,", async () => ({ store: await emptied(), age }));

  for (const what of ["free", "a day old"]) {
    it(`are in flight if another request claims a key at that moment that was ${what}`, async () => {
      const store = await emptied();
      if (what !== "free") {
        await store.finish(claimOf(await store.begin(aRequest())), anAnswer());
        await age(oneDay + 60);
      }
      expect(await whileClaimed(() => store.begin(aRequest()))).to.deep.equal({ kind: "in-flight" });
    });
  }

  describe("beside processes of an older version, which do not store callers,", () => {
    const oldClaim = () =>
      run(
        `insert into idempotency_keys as known (business_id, operation, key, request_digest, claim, lease_until)
         values (1, 'makeThing', 'a', $1, gen_random_uuid(), now() + interval '1 hour')
         on conflict (business_id, operation, key) do update set claim = excluded.claim
         where known.created_at < now() - interval '24 hours'
         returning key`,
        [digestOf("this")],
      );

    it("are found by the older process if a newer one claimed them", async () => {
      claimOf(await (await emptied()).begin(aRequest()));
      expect(await oldClaim()).to.deep.equal([]);
    });

    it("are found by any caller if the older process claimed them", async () => {
      const store = await emptied();
      expect(await oldClaim()).to.have.length(1);
      for (const caller of ["user 1", "key 1"]) {
        expect(await store.begin(aRequest({ caller }))).to.deep.equal({ kind: "in-flight" });
      }
    });
  });

  describe("that are older than a day", () => {
    const keys = async () => (await run("select key from idempotency_keys order by key")).map(({ key }) => key);

    it("are deleted in batches, and newer ones stay", async () => {
      const store = await emptied();
      for (let n = 1; n <= 5; n += 1) await store.begin(aRequest({ key: `old ${n}`, businessId: 1 + (n % 2) }));
      await age(oneDay + 60);
      await store.begin(aRequest({ key: "new" }));
      expect(await store.purge(undefined, 2)).to.equal(5);
      expect(await keys()).to.deep.equal(["new"]);
      expect(await store.purge()).to.equal(0);
    });

    it("stay if the deletion is aborted", async () => {
      const store = await emptied();
      await store.begin(aRequest());
      await age(oneDay + 60);
      expect(await store.purge(AbortSignal.abort())).to.equal(0);
      expect(await keys()).to.deep.equal(["a"]);
    });

    it("are not deleted if they are claimed again at that moment", async () => {
      const store = await emptied();
      await store.begin(aRequest());
      await age(oneDay + 60);
      expect(await whileClaimed(() => store.purge())).to.equal(0);
      expect(await keys()).to.deep.equal(["a"]);
    });
  });
});
