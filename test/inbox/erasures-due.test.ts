import { expect } from "chai";
import type { ErasureStores, ErasureUnitOfWork } from "../../src/inbox/application/contacts/ports.ts";
import { EraseContact } from "../../src/inbox/public.ts";

describe("due erasures in several databases", () => {
  it("are all finished in one run, even if only one database has more than one batch", async () => {
    const due = (count: number, first: number) =>
      Array.from({ length: count }, (_, at) => ({ businessId: 1, contactId: first + at }));
    const rounds = [
      [due(20, 1), due(5, 21)],
      [due(3, 26), []],
    ];
    const finished: number[] = [];
    const contacts = {
      find: async (_: number, contactId: number) => {
        finished.push(contactId);
        return null;
      },
    };
    const unitOfWork: ErasureUnitOfWork = {
      run: (_, work) => work({ contacts } as unknown as ErasureStores),
      sweep: (work) => {
        const takeDue = (taken: readonly object[]) => ({ contacts: { takeDue: async () => taken } });
        return Promise.all((rounds.shift() ?? [[]]).map((taken) => work(takeDue(taken) as unknown as ErasureStores)));
      },
    };
    const erase = eraseOn(unitOfWork, (error) => expect.fail(String(error)));
    await erase.complete();
    expect(finished).to.have.length(28);
  });
});

describe("an erasure in a run that is aborted", () => {
  it("stops between two batches of messages, and is not recorded as complete", async () => {
    const aborting = new AbortController();
    let batches = 0;
    const contacts = {
      find: async () => ({ numbers: [], knownOn: "qr", chatIds: [1], files: [] }),
      eraseMessages: async () => {
        batches += 1;
        if (batches === 2) aborting.abort();
        return { reached: batches < 5 ? 100 - batches : null, newest: [], files: [] };
      },
      eraseTraces: () => expect.fail("the run went on"),
      complete: () => expect.fail("the erasure is not complete"),
    };
    const due = [{ businessId: 1, contactId: 1 }];
    const unitOfWork: ErasureUnitOfWork = {
      run: (_, work) => work({ contacts, others: [] } as unknown as ErasureStores),
      sweep: async () => [due.splice(0)] as never,
    };
    const failures: unknown[] = [];
    const erase = eraseOn(unitOfWork, (error) => failures.push(error));
    await erase.complete(aborting.signal);
    expect([batches, failures]).to.deep.equal([2, []]);
  });
});

/** These erasures use only the unit of work, so the other parts are placeholders. */
function eraseOn(unitOfWork: ErasureUnitOfWork, onFailure: (error: unknown) => void): EraseContact {
  const unused = () => expect.fail("this is not needed");
  const [edits, feed] = [{ edit: unused }, { publish: () => {} }];
  return new EraseContact(unitOfWork, edits, edits, unused, unused, unused, feed, onFailure);
}
