import type { Bench } from "./bench.ts";
import { CampaignArena } from "./campaigns.ts";
import { copyIn } from "./copy.ts";
import { quantile, rounded } from "./table.ts";

const contacts = 100_000;
const rounds = 5;
/** The maximum duration of a registration, as a multiple of the bare COPY's duration. */
const aim = 2.5;

const copied = "business_id, campaign_id, position, contact_id, phone, parameters";

/**
 * Compares a registration with a bare COPY of the same rows into the same table, with its indexes and foreign key. The
 * two alternate.
 */
const bench: Bench = {
  about: `one campaign to ${contacts} contacts, registered in one request, against a bare COPY of its rows`,
  run: async (arena) => {
    const campaigns = await CampaignArena.open(arena, { businesses: 1, contacts, messagesPerSecond: 1 });
    const shot = campaigns.request(1, contacts);
    const seen: { readonly requestMs: number; readonly copyMs: number; readonly ratio: number }[] = [];
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      const requestMs = await campaigns.register(shot);
      const copyMs = await copyOfLast(campaigns);
      arena.say(`request ${rounded(requestMs)} ms, COPY ${rounded(copyMs)} ms`);
      if (round > 0) seen.push({ requestMs, copyMs, ratio: rounded(requestMs / copyMs, 2) });
    }
    const [row] = await campaigns.rows<{ wrong: number }>(
      `select count(*)::int as wrong from campaigns as campaign
       where total <> (select count(*) from campaign_recipients as recipient
                       where recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id)`,
    );
    await campaigns.close();

    const ratios = seen.map(({ ratio }) => ratio);
    const ratio = quantile(ratios, 0.5);
    const median = (of: "requestMs" | "copyMs") =>
      rounded(
        quantile(
          seen.map((one) => one[of]),
          0.5,
        ),
      );
    const worstToBest = `${ratio} (${Math.max(...ratios)} to ${Math.min(...ratios)})`;
    return {
      tables: [
        {
          title: `Registering ${contacts} contacts (endpoint 4); the aim is at most ${aim} times the bare COPY: ${ratio <= aim ? "met" : "not met"}`,
          columns: ["", "median ms", "times the bare COPY (worst to best round)"],
          rows: [
            ["COPY of the same rows", median("copyMs"), ""],
            ["one request", median("requestMs"), worstToBest],
          ],
        },
      ],
      figures: { contacts, seen, ratio, aim },
      failures: row?.wrong === 0 ? [] : [`registration: ${row?.wrong} campaigns have other recipients than they say`],
      belowAim: ratio <= aim ? [] : [`registration: ${ratio} times the bare COPY, more than the aim of ${aim}`],
    };
  },
};
export default bench;

/** Copies the recipients of the last campaign into a new one. Returns the milliseconds of the COPY alone. */
async function copyOfLast(campaigns: CampaignArena): Promise<number> {
  const last = await campaigns.lastCampaign();
  const [made] = await campaigns.rows<{ id: number }>(
    `insert into campaigns (business_id, name, user_id, template_id, step_id, sender_id, tags, template, state,
                            timezone, total)
     select business_id, name, user_id, template_id, step_id, sender_id, tags, template, state, timezone, total
     from campaigns where id = $1 returning id`,
    [last],
  );
  const lines = await campaigns.rows<{ line: string }>(
    `select concat_ws(E'\\t', business_id, $2::bigint, position, contact_id, phone, parameters::text) as line
     from campaign_recipients where campaign_id = $1 order by position`,
    [last, made?.id],
  );
  const rows = Buffer.from(lines.map(({ line }) => `${line}\n`).join(""));
  return copyIn(campaigns.stage.databaseUrl, `copy campaign_recipients (${copied}) from stdin`, rows);
}
