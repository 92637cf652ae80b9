import { closeCells } from "../bootstrap/cells.module.ts";
import { readConfig } from "../bootstrap/config.ts";
import { createContainer } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { PostgresCampaignReads } from "../messaging/adapters/postgres/campaigns/campaign-reads.ts";
import type { CampaignsStanding } from "../messaging/public.ts";
import { runCommand } from "./command.ts";

/** Sends the due messages of all campaigns and shows the progress: as a bar on a terminal, else as lines. */

const barWidth = 30;
/** Milliseconds without progress after which the job gives up, because a hanging cron job is useless. */
const patienceMs = 60_000;

const bar = ({ waiting, done }: CampaignsStanding): string => {
  const filled = Math.round((done / Math.max(1, waiting + done)) * barWidth);
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${done} of ${waiting + done}`;
};

await runCommand(async () => {
  const container = createContainer(readConfig({ LOG_LEVEL: "warn", ...process.env, ROLE: "worker" }));
  const campaigns = new PostgresCampaignReads(resolve(container, tokens.cells));
  const dispatch = resolve(container, tokens.dispatchCampaigns);
  const began = await campaigns.standing();
  let last = { done: began.done, at: performance.now() };
  let gaveUp = false;
  const show = async (): Promise<void> => {
    const { waiting, done } = await campaigns.standing();
    if (done !== last.done) last = { done, at: performance.now() };
    else if (performance.now() - last.at > patienceMs && !gaveUp) {
      gaveUp = true;
      void dispatch.stop();
    }
    const sent = { waiting, done: done - began.done };
    if (process.stdout.isTTY) process.stdout.write(`\r${bar(sent)}`);
    else console.log(`${sent.done} sent, ${waiting} waiting`);
  };
  const timer = setInterval(() => void show().catch(() => {}), process.stdout.isTTY ? 250 : 2_000);
  const stop = () => void dispatch.stop();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await resolve(container, tokens.settleCampaigns).execute();
    await dispatch.runToEnd();
    await resolve(container, tokens.campaignAnnouncer).settled();
    await show();
    if (process.stdout.isTTY) process.stdout.write("\n");
    if (gaveUp)
      throw new Error("nothing was sent for a minute: is the platform unavailable? The next run sends the rest");
  } finally {
    clearInterval(timer);
    await resolve(container, tokens.httpClient).close();
    await closeCells(resolve(container, tokens.openedCells));
  }
});
