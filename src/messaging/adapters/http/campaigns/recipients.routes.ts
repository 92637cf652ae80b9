import { csvLine, csvReply, jsonReply, wantsCsv } from "../../../../infra/http/csv.ts";
import { defineRoute, type Route } from "../../../../infra/http/routing/route.ts";
import {
  integer,
  named,
  nullableInteger,
  nullableText,
  objectWith,
  optionalFields,
  type Schema,
  text,
} from "../../../../infra/http/routing/schema.ts";
import { groupBy } from "../../../../kernel/group-by.ts";
import type { CampaignReads, FailureReason, RecipientStatus } from "../../../application/campaigns/operator-ports.ts";
import { recipientStates } from "../../../domain/campaign.ts";
import { sendReason } from "../../wire/send-reasons.ts";
import { page } from "./campaign-input.ts";
import { common, demanded, failures, listOf } from "./shared.ts";

const recipientsPage = 100;
/** Recipients that a CSV export reads at a time; few enough that other requests are answered in between. */
const streamPage = 1_000;
/** The most reasons in one answer. A failing campaign has few different reasons. */
const mostReasons = 50;
/** The most stored reasons that are read for one answer. `inWords` then merges some of them. */
const mostRead = 1_000;

const recipient = named("CampaignRecipient", {
  type: "object",
  required: ["contacto_id", "numero", "state"],
  properties: {
    contacto_id: integer,
    numero: text,
    state: { enum: recipientStates },
    attempt: integer,
    message_id: nullableText,
    error_code: nullableInteger,
    error: nullableText,
    fecha: nullableText,
  },
} as const satisfies Schema);

export const listRecipients = (reads: CampaignReads): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/campaigns/:id/recipients",
    operationId: "listCampaignRecipients",
    summary: `List the recipients and the states of their messages, ${recipientsPage} per page, or all of them as CSV`,
    rules: {
      "Campaigns.3": "With `Accept: text/csv` the answer is one CSV file of all recipients; `page` is ignored.",
    },
    lane: "exports",
    cost: 3,
    query: optionalFields({ state: { type: "string", enum: recipientStates }, page }),
    responses: {
      200: { description: "A page of recipients", schema: listOf(recipient), otherTypes: ["text/csv"] },
      ...failures,
    },
    handle: async ({ params: { id }, query, caller, headers, signal }) => {
      const { total, counts } = await demanded(reads, caller.businessId, id);
      const state = query.state ?? null;
      const read: Read = (from, limit) => reads.recipients(caller.businessId, id, state, from, limit, signal);
      if (wantsCsv(headers)) return csvReply(csvLines(read), `campaign-${id}.csv`);
      const rows = await read({ after: 0, offset: (query.page - 1) * recipientsPage }, recipientsPage);
      const matching = state === null ? total : counts[state];
      return jsonReply({
        data: rows.map(recipientToWire),
        total: matching,
        page: query.page,
        hasNextPage: query.page * recipientsPage < matching,
      });
    },
  });

const failure = named(
  "CampaignFailure",
  objectWith({ error_code: nullableInteger, error: nullableText, count: integer }),
);

export const listFailures = (reads: CampaignReads): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/campaigns/:id/failures",
    operationId: "listCampaignFailures",
    summary: "List why messages of a campaign failed: each reason with the number of recipients, most frequent first",
    rules: {
      "Campaigns.12": `Counts the recipients in state \`failed\` by the platform's code and text; at most ${mostReasons} reasons.`,
    },
    lane: "exports",
    cost: 3,
    responses: {
      200: {
        description: "The reasons",
        schema: objectWith({ data: { type: "array", items: failure, maxItems: mostReasons } }),
      },
      ...failures,
    },
    handle: async ({ params: { id }, caller, signal }) => {
      await demanded(reads, caller.businessId, id);
      return { data: inWords(await reads.failures(caller.businessId, id, mostRead, signal)).slice(0, mostReasons) };
    },
  });

/** Puts the reasons into words for people. Merges reasons with the same code and words, and adds their counts. */
function inWords(reasons: readonly FailureReason[]) {
  const told = reasons.map(({ errorCode, errorReason, count }) => ({
    error_code: errorCode,
    error: sendReason("failed", errorCode, errorReason),
    count,
  }));
  const same = groupBy(told, ({ error_code, error }) => JSON.stringify([error_code, error]));
  const merged = [...same.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, count: others.reduce((sum, { count }) => sum + count, first.count) }] : [],
  );
  return merged.toSorted((one, other) => other.count - one.count);
}

const recipientToWire = (row: RecipientStatus) => ({
  contacto_id: row.contactId,
  numero: row.phone,
  state: row.state,
  attempt: row.attempt,
  message_id: row.platformMessageId,
  error_code: row.errorCode,
  error: sendReason(row.state, row.errorCode, row.errorReason),
  fecha: row.settledAt?.toISOString() ?? null,
});

type Read = (
  from: { readonly after: number; readonly offset: number },
  limit: number,
) => ReturnType<CampaignReads["recipients"]>;

async function* csvLines(read: Read): AsyncGenerator<string> {
  yield "contacto_id,numero,state,attempt,message_id,error_code,error,fecha\r\n";
  for (let after = 0; ; ) {
    const rows = await read({ after, offset: 0 }, streamPage);
    yield rows.map((row) => csvLine(Object.values(recipientToWire(row)))).join("");
    const last = rows.at(-1);
    if (rows.length < streamPage || !last) return;
    after = last.position;
  }
}
