import type { Bench } from "./bench.ts";
import { CampaignArena, highestRss } from "./campaigns.ts";
import type { Shot } from "./load.ts";
import { rounded } from "./table.ts";

const contacts = 100_000;
const few = 1_000;
/** The size of the larger body in MB. */
const megabytes = 60;
/** The allowed growth of the service's peak RSS in MB, from few to many recipients. */
const mostGrowth = 150;

/** Checks that peak memory does not depend on the size of a campaign's body. */
const bench: Bench = {
  about: `memory of the service over a campaign of ${few} contacts, and one of ${contacts} in ${megabytes} MB`,
  run: async (arena) => {
    const campaigns = await CampaignArena.open(arena, { businesses: 1, contacts, messagesPerSecond: 1 });
    const seen: { readonly contacts: number; readonly megabytes: number; readonly highest: number }[] = [];
    for (const [count, noteLength] of [
      [few, 0],
      [contacts, Math.round((megabytes * 1e6) / contacts) - 90],
    ] as const) {
      const shot = campaigns.request(1, count, "x".repeat(noteLength));
      await campaigns.register(shot);
      await campaigns.preview(shot);
      const highest = await highestRss(campaigns.api.pid);
      seen.push({ contacts: count, megabytes: sizeOf(shot), highest });
      arena.say(`${count} contacts in ${sizeOf(shot)} MB: at most ${highest} MB of memory`);
    }
    await campaigns.close();

    const growth = rounded((seen[1]?.highest ?? Number.NaN) - (seen[0]?.highest ?? Number.NaN), 1);
    return {
      tables: [
        {
          title: `Memory of a service that registers and previews; the aim is at most ${mostGrowth} MB more for ${megabytes} MB: ${growth <= mostGrowth ? "met" : "not met"}`,
          columns: ["contacts", "body MB", "highest RSS MB"],
          rows: [...seen.map((one) => [one.contacts, one.megabytes, one.highest]), ["growth", "", growth]],
        },
      ],
      figures: { seen, growth, mostGrowth },
      failures: growth <= mostGrowth ? [] : [`campaign body: RSS grew by ${growth} MB with the body`],
      belowAim: [],
    };
  },
};
export default bench;

const sizeOf = ({ body }: Shot): number => rounded(Buffer.byteLength(body) / 1e6, 1);
