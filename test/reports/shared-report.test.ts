import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";
import { addConversation, addRecord, addTicket, assignTag } from "./support.ts";

describe("smoke", () => {
  let world: World;
  after(() => world.stop());
  it("works", async () => {
    world = await startWorld({
      businesses: [aBusiness(1, { flags: { timezone: "America/La_Paz", group_shared_report: [1, 2] } }), aBusiness(2)],
    });
    await addRecord(world, 1);
    await addRecord(world, 1, { ad_id: "a", type: "quotation", source: "pdf" });
    await addConversation(world, 1, { ai: 50.25 });
    await addTicket(world, 1, "pending");
    await addTicket(world, 1, "completed");
    await assignTag(world, 1, "VIP", 3);
    const ask = () =>
      world.post("/empresas/data-report/multi", { businessId: 1, startDate: "2026-03-01", endDate: "2026-03-31" });
    const first = await ask();
    console.log(first.status, first.text);
    await resolve(world.container, tokens.foldReports).execute();
    console.log(
      await world.rows("select * from report_days where conversations>0 or ad_quotations>0"),
      await world.rows("select count(*) from report_days"),
      await world.rows("select * from report_marks"),
      await world.rows("select * from report_progress"),
    );
    const second = await ask();
    expect(second.text).to.equal(first.text);
  });
});
