import { expect } from "chai";
import { AssignWaiting } from "../../src/inbox/application/lines/assign-waiting.ts";
import type { WaitingLine } from "../../src/inbox/application/lines/ports.ts";

const lines: readonly WaitingLine[] = [1, 2, 3].map((departmentId) => {
  return { businessId: 1, departmentId, openingHours: null, timezone: null };
});

class Assigning extends AssignWaiting<WaitingLine> {
  constructor(
    private readonly some: (departmentId: number | null) => number,
    onFailure: (error: unknown, line: WaitingLine) => void = (error) => expect.fail(String(error)),
  ) {
    super({ list: async (_, after) => (after ? [] : [...lines]) }, onFailure);
  }

  protected async assignSome({ departmentId }: WaitingLine): Promise<number> {
    return this.some(departmentId);
  }
}

describe("assigning what waits in lines", () => {
  it("goes on in each line until nothing is left there", async () => {
    const left = new Map([1, 2, 3].map((id) => [id, id]));
    const assigning = new Assigning((id) => {
      const count = left.get(id ?? 0) ?? 0;
      left.set(id ?? 0, Math.max(0, count - 1));
      return count > 0 ? 10 : 0;
    });
    expect(await assigning.execute()).to.equal(60);
  });

  it("ends with the batch that is under way when it is aborted", async () => {
    const abort = new AbortController();
    const asked: (number | null)[] = [];
    const assigning = new Assigning((id) => {
      if (asked.push(id) === 2) abort.abort();
      return asked.length < 5 ? 10 : 0;
    });
    expect(await assigning.execute(abort.signal)).to.equal(20);
    expect(asked).to.deep.equal([1, 1]);
  });

  it("tells of a line that fails, and serves the others", async () => {
    const failed: (number | null)[] = [];
    const served = new Set<number | null>();
    const assigning = new Assigning(
      (id) => {
        if (id === 2) throw new Error("no such department");
        if (served.has(id)) return 0;
        served.add(id);
        return 1;
      },
      (_, { departmentId }) => failed.push(departmentId),
    );
    expect(await assigning.execute()).to.equal(2);
    expect(failed).to.deep.equal([2]);
  });
});
