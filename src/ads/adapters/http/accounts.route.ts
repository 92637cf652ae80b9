import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { integer, named, numericIdOf, objectWith, problem, text } from "../../../infra/http/routing/schema.ts";
import type { ListAccounts } from "../../application/list-accounts.ts";
import type { AdAccount } from "../../domain/ads.ts";
import { common, listOf, orRetryLater, unavailable, wholeOrFailed } from "./wire.ts";

const account = named("AdAccount", objectWith({ id: text, name: text, currency: text, account_status: integer }));

export const accountsRoute = (listAccounts: Pick<ListAccounts, "execute">): Route =>
  defineRoute({
    ...common,
    path: "/empresas/campaigns/:businessId/accounts",
    operationId: "listAdAccounts",
    summary: "List the ad accounts of a business",
    rules: {
      "§16.6": "The ad accounts that the business's token opens; `accountId` takes their ids.",
      "§16.7": wholeOrFailed,
    },
    params: objectWith({ businessId: numericIdOf("business") }),
    responses: {
      200: { description: "All accounts", schema: listOf(account) },
      400: { description: "The id is malformed, no such business, or no token", schema: problem },
      500: { ...unavailable, schema: problem },
    },
    handle: ({ params: { businessId } }) => {
      return orRetryLater(listAccounts.execute(businessId).then((accounts) => ({ data: accounts.map(toWire) })));
    },
  });

const toWire = ({ id, name, currency, status }: AdAccount) => ({ id, name, currency, account_status: status });
