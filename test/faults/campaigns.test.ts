import { expect } from "chai";
import { Random } from "../../src/sandbox/core/random.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { CampaignStage } from "./campaign-stage.ts";
import { dieWhileDraining } from "./campaigns.ts";

/** The same in every run. `main.ts` takes its seed as an argument. */
const seed = 7;
const recipients = 200;
const kills = 2;

describe("a worker that is killed (kill -9) in the middle of a campaign", () => {
  let database: TestDatabase | undefined;
  let stage: CampaignStage | undefined;

  before(async () => {
    database = await freshDatabase();
    stage = await CampaignStage.open(database.url, recipients, 100);
  });
  after(async () => {
    await stage?.close();
    await database?.drop();
  });

  it("sends nothing twice and loses no recipient", async () => {
    const { figures, violations } = await dieWhileDraining(stage as CampaignStage, new Random(seed), {
      recipients,
      rounds: kills,
    });
    expect(violations).to.deep.equal([]);
    expect(figures).to.include({ kills, accepted: recipients, distinct: recipients, twice: 0, lost: 0 });
  });
});
