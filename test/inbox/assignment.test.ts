import { expect } from "chai";
import fc from "fast-check";
import { type AgentLoad, chooseAgent, distribute } from "../../src/inbox/domain/assignment.ts";
import { namedAgent, outOfHoursText, type TicketSetup, tagIds } from "../../src/inbox/domain/ticket.ts";

const agent = (id: number, load = 0, lastGiven: number | null = null, takesAll = true): AgentLoad => ({
  id,
  name: `Agente ${id}`,
  load,
  lastGiven,
  takesAll,
});

describe("the agent of a ticket", () => {
  it("is the one that the step names, even if busy or of another department (§5.3)", () => {
    expect(chooseAgent([agent(1), agent(2, 9), agent(3, 9, 7, false)], 2)?.id).to.equal(2);
    expect(chooseAgent([agent(1), agent(3, 9, 7, false)], 3)?.id).to.equal(3);
  });

  it("is another agent if the named one is not available", () => {
    expect(chooseAgent([agent(1, 5)], 2)?.id).to.equal(1);
  });

  it("is the one with the fewest open tickets, and then the one assigned longest ago or never (§5.3)", () => {
    expect(chooseAgent([agent(1, 2, 10), agent(2, 1, 12), agent(3, 1, 11)], null)?.id).to.equal(3);
    expect(chooseAgent([agent(1, 1, 10), agent(2, 1), agent(3, 1, 11)], null)?.id).to.equal(2);
    expect(chooseAgent([agent(2), agent(1)], null)?.id).to.equal(1);
  });

  it("is never one who only takes tickets of other steps", () => {
    expect(chooseAgent([agent(3, 0, null, false)], 2)).to.equal(null);
    expect(chooseAgent([], null)).to.equal(null);
  });
});

describe("several tickets at once", () => {
  it("are assigned as if they came one by one", () => {
    const given = distribute([null, null, null, 1, null, null], [agent(1, 2, 3), agent(2, 1, 1), agent(3, 1, 2)]);
    expect(given.map((each) => each?.id)).to.deep.equal([2, 3, 1, 1, 2, 3]);
  });

  it("balance the agents' numbers of tickets", () => {
    const loads = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(loads, fc.integer({ min: 30, max: 60 }), (open, count) => {
        const agents = open.map((load, index) => agent(index + 1, load));
        const given = distribute(Array(count).fill(null), agents);
        const totals = agents.map(({ id, load }) => load + given.filter((each) => each?.id === id).length);
        expect(Math.max(...totals) - Math.min(...totals)).to.be.at.most(1);
      }),
    );
  });
});

describe("the agents that a step's fields allow", () => {
  const tags: [string | null, number[]][] = [
    [null, []],
    ["", []],
    ["1,2", [1, 2]],
    [" 3 , 1,3 ", [3, 1]],
    ["[1, 2]", [1, 2]],
    ['["4", 5, null, "x", -1, 1.5, {}, [6]]', [4, 5]],
    ["[1", []],
    ["x,0,7,9007199254740992,99999999999999999999", [7]],
  ];
  for (const [text, ids] of tags) {
    it(`have one of the tags that the text ${JSON.stringify(text)} lists`, () =>
      expect(tagIds(text)).to.deep.equal(ids));
  }

  it("are read from at most 100 tags", () => {
    expect(tagIds(Array.from({ length: 300 }, (_, index) => index + 1).join())).to.have.length(100);
  });

  it("are one agent if the field holds an id, and not if it holds a name", () => {
    for (const [written, id] of [
      ["7", 7],
      [" 7 ", 7],
      ["", null],
      ["Ana", null],
      [null, null],
    ] as const) {
      expect(namedAgent({ agent: written })).to.equal(id);
    }
  });

  it("are replaced by the department's out-of-hours message, or by a default one, if none is available", () => {
    const text = (outOfHoursMessage: string | null) => outOfHoursText({ outOfHoursMessage } as TicketSetup);
    expect(text("Volvemos a las 8")).to.equal("Volvemos a las 8");
    for (const none of [null, "", "  "]) expect(text(none)).to.match(/^En este momento no hay nadie/);
  });
});
