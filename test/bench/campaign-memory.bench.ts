import type { Bench } from "./bench.ts";
import { CampaignArena, highestRss, wrongWith } from "./campaigns.ts";
import { rounded } from "./table.ts";

const few = 1_000;
const many = 100_000;
/** The allowed growth of the worker's peak RSS in MB, from few to many recipients. */
const mostGrowth = 80;
const longestMs = 240_000;

/** Checks that a worker's peak memory does not depend on the campaign's size. */
const bench: Bench = {
  about: `memory of the worker over campaigns of ${few} and ${many}`,
  run: async (arena) => {
    const campaigns = await CampaignArena.open(arena, { businesses: 1, contacts: many, messagesPerSecond: many });
    const worker = await campaigns.worker();
    const seen: { readonly recipients: number; readonly highest: number; readonly seconds: number }[] = [];
    const failures: string[] = [];
    for (const recipients of [few, many]) {
      const before = await campaigns.lastCampaign();
      await campaigns.stage.control("DELETE", "");
      const shot = campaigns.request(1, recipients);
      await campaigns.register(shot);
      const began = performance.now();
      await campaigns.untilOver(longestMs);
      const seconds = rounded((performance.now() - began) / 1_000, 1);
      const { duplicates } = await campaigns.stage.control<{ duplicates: number }>("GET", "/messages/count");
      failures.push(...wrongWith("campaign memory", await campaigns.outcome(before), duplicates));
      seen.push({ recipients, highest: await highestRss(worker.pid), seconds });
      arena.say(`${recipients} recipients in ${seconds} s`);
    }
    await worker.stop();
    await campaigns.close();

    const growth = rounded((seen[1]?.highest ?? Number.NaN) - (seen[0]?.highest ?? Number.NaN), 1);
    if (!(growth <= mostGrowth)) failures.push(`campaign memory: RSS grew by ${growth} MB with the campaign`);
    return {
      tables: [
        {
          title: `Memory of a worker; the aim is at most ${mostGrowth} MB more for ${many}: ${growth <= mostGrowth ? "met" : "not met"}`,
          columns: ["recipients", "highest RSS MB", "seconds"],
          rows: [...seen.map((one) => [one.recipients, one.highest, one.seconds]), ["growth", growth, ""]],
        },
      ],
      figures: { seen, growth, mostGrowth },
      failures,
      belowAim: [],
    };
  },
};
export default bench;
