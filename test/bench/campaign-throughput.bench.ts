import type { Bench } from "./bench.ts";
import { CampaignArena, wrongWith } from "./campaigns.ts";
import { load } from "./load.ts";
import { quantile, rounded } from "./table.ts";

const recipients = 8_000;
const rounds = 4;
/** The worker's concurrency per sender: `campaigns.requestsAtATime`. */
const connections = 128;
/** A rate so high that it does not limit the sender. */
const unlimited = 100_000;
const aim = 0.5;
const longestMs = 60_000;

/**
 * Compares the rate of a campaign, which claims, sends and records its messages, with the rate of a loop that only
 * posts the same requests over as many connections. The two alternate.
 */
const bench: Bench = {
  about: "a campaign without a rate limit against a bare loop of the same requests",
  run: async (arena) => {
    const campaigns = await CampaignArena.open(arena, {
      businesses: 1,
      contacts: recipients,
      messagesPerSecond: unlimited,
    });
    const worker = await campaigns.worker();
    const shot = campaigns.request(1, recipients);
    const failures: string[] = [];
    let shots = 0;
    const next = campaigns.bareSend(1, () => shots++);

    const bareRate = async (): Promise<number> => {
      const isRight = (status: number) => status === 200;
      const { url } = campaigns.stage.sandbox;
      const volley = await load({ url, connections, requests: recipients, next, isRight });
      if (volley.wrong > 0) failures.push(`the bare loop was answered ${volley.firstWrong} (${volley.wrong} times)`);
      return recipients / volley.seconds;
    };
    const campaignRate = async (): Promise<number> => {
      const before = await campaigns.lastCampaign();
      await campaigns.stage.control("DELETE", "");
      await campaigns.register(shot);
      await campaigns.untilOver(longestMs);
      const { messages, duplicates } = await campaigns.accepted();
      const outcome = await campaigns.outcome(before);
      failures.push(...wrongWith("throughput", outcome, duplicates));
      return recipients / ((outcome.finishedAt - Date.parse(messages[0]?.at ?? "")) / 1_000);
    };

    const seen: { readonly perSecond: number; readonly barePerSecond: number; readonly ratio: number }[] = [];
    // The first round is a warm-up and creates the chats.
    for (let round = 0; round <= rounds; round += 1) {
      const perSecond = await campaignRate();
      const barePerSecond = await bareRate();
      arena.say(`campaign ${rounded(perSecond)}/s, bare loop ${rounded(barePerSecond)}/s`);
      if (round > 0) seen.push({ perSecond, barePerSecond, ratio: rounded(perSecond / barePerSecond, 3) });
    }
    await worker.stop();
    await campaigns.close();

    const ratios = seen.map(({ ratio }) => ratio);
    const ratio = quantile(ratios, 0.5);
    const median = (rates: readonly number[]): number => rounded(quantile(rates, 0.5));
    return {
      tables: [
        {
          title: `Campaign of ${recipients}, ${connections} requests at a time; the aim is ${aim} of the bare loop: ${ratio >= aim ? "met" : "not met"}`,
          columns: ["", "messages/s", "of the bare loop (worst to best round)"],
          rows: [
            ["bare loop", median(seen.map(({ barePerSecond }) => barePerSecond)), ""],
            [
              "campaign, recorded",
              median(seen.map(({ perSecond }) => perSecond)),
              `${ratio} (${Math.min(...ratios)} to ${Math.max(...ratios)})`,
            ],
          ],
        },
      ],
      figures: { recipients, connections, seen, ratio, aim },
      failures,
      belowAim: ratio >= aim ? [] : [`campaign throughput: ${ratio} of the bare loop, below the aim of ${aim}`],
    };
  },
};
export default bench;
