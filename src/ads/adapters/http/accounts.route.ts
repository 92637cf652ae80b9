import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { numericIdOf, problem, type Schema, text } from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { ListAccounts, ListAccountsFailure } from "../../application/list-accounts.ts";
import type { AdAccount } from "../../domain/ads.ts";
import { commonDialect, listOf, orRetryLater, unavailable, wholeOrFailed } from "./wire.ts";

const params = {
  type: "object",
  required: ["businessId"],
  properties: { businessId: numericIdOf("business") },
} as const satisfies Schema;

const account = {
  type: "object",
  required: ["id", "name", "currency", "account_status"],
  properties: { id: text, name: text, currency: text, account_status: { type: "integer" } },
} as const satisfies Schema;

const dialect: Dialect<InvalidInput | BusinessNotFound | ListAccountsFailure> = commonDialect;

/** The ad accounts whose campaigns §15 lists. */
export const accountsRoute = (listAccounts: Pick<ListAccounts, "execute">): Route =>
  defineRoute({
    method: "get",
    path: "/empresas/campaigns/:businessId/accounts",
    operationId: "listAdAccounts",
    tag: "Ads",
    summary: "List the ad accounts of a business",
    rules: [
      ["§16.6", "The ad accounts that the business's token opens; their ids are what `accountId` takes."],
      ["§16.7", wholeOrFailed],
    ],
    auth: "app-key",
    params,
    ownBusiness: "params.businessId",
    responses: {
      200: { description: "All accounts", schema: listOf(account) },
      400: { description: "The id is no id, no such business, or no token", schema: problem },
      500: { ...unavailable, schema: problem },
    },
    dialect,
    handle: ({ params: { businessId } }) => {
      return orRetryLater(listAccounts.execute(businessId).then((accounts) => ({ data: accounts.map(toWire) })));
    },
  });

const toWire = ({ id, name, currency, status }: AdAccount) => ({ id, name, currency, account_status: status });
