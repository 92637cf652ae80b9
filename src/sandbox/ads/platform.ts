import { BadInput, flag, integer, optional, type Settings, shape } from "../core/input.ts";
import { type Answer, type Call, ok, type Platform, type PlatformRoute } from "../core/route.ts";
import { controlInput } from "../core/server.ts";
import { idOf, tokenOf } from "../graph/call.ts";
import { badParameter, type ErrorStatuses, graphFailure, unknownObject } from "../graph/errors.ts";
import { graphRoute } from "../graph/route.ts";
import { Expansion, type PageBehaviour } from "./expansion.ts";
import { type Node, nodesOf } from "./nodes.ts";
import { readAdAccount, type SandboxAdAccount } from "./settings.ts";

const readBehaviour = shape({
  shortPages: optional(integer(1, 500)),
  emptyFirstPages: optional(flag),
  reduceAbove: optional(integer(1, 500)),
  // What the usage headers of every answer say.
  accountPercent: optional(integer(0, 100)),
  resetSeconds: optional(integer(0, 86_400)),
  insightsPercent: optional(integer(0, 100)),
  regainMinutes: optional(integer(0, 1_440)),
});
type Usage = Omit<Settings<typeof readBehaviour>, keyof PageBehaviour>;
const ordinary = readBehaviour({}, "behaviour");

const mostAccounts = 1_000;
const edges = ["campaigns", "adsets", "ads", "adcreatives"] as const;

interface Account {
  readonly settings: SandboxAdAccount;
  readonly nodes: ReadonlyMap<string, Node>;
}

/** The Marketing API, for reading: accounts, campaigns, ad sets, ads and insights, with fields that expand. */
export function adsPlatform(settings: readonly SandboxAdAccount[], errorStatuses: ErrorStatuses): Platform {
  const accounts = new Map<string, Account>();
  for (const account of settings) accounts.set(account.accountId, stored(account));
  let behaviour = ordinary;
  let requests = 0;

  const all = () => [...accounts.values()];
  const tokens = { knows: (token: string) => all().some((account) => account.settings.token === token) };
  const knows = (id: string | undefined) => all().some(({ nodes }) => id !== undefined && nodes.has(id));

  function nodeOf(call: Call): Node {
    const token = tokenOf(call, tokens);
    const id = idOf(call);
    const account = all().find(({ settings: { token: own }, nodes }) => own === token && nodes.has(id));
    const node = account?.nodes.get(id);
    if (!node) throw unknownObject(call.method, id);
    return node;
  }

  const expansionOf = (call: Call): Expansion => new Expansion(call, tokenOf(call, tokens), behaviour);

  function listOf(call: Call, edge: string): object {
    const node = nodeOf(call);
    const nodes = node.edges[edge];
    if (!nodes) throw badParameter(`Tried accessing nonexisting field (${edge}) on node type (${node.type})`);
    return expansionOf(call).list(node.id, edge, nodes);
  }

  function accountsOf(call: Call): object {
    const token = tokenOf(call, tokens);
    const own = all().filter((account) => account.settings.token === token);
    const nodes = own.flatMap(({ settings: { accountId }, nodes: known }) => known.get(accountId) ?? []);
    return expansionOf(call).list("me", "adaccounts", nodes);
  }

  function insightsOf(call: Call): object {
    const node = nodeOf(call);
    if (!node.insights) throw badParameter(`Tried accessing nonexisting field (insights) on node type (${node.type})`);
    const { query } = call;
    const fields = query.get("fields") ?? "";
    return expansionOf(call).insights(node.insights, query.get("date_preset"), query.get("time_range"), fields);
  }

  const make = graphRoute(errorStatuses);
  const route = (path: string, operation: string, handle: (call: Call) => object): PlatformRoute => {
    const made = make("GET", path, operation, handle);
    return {
      ...made,
      arrived: () => {
        requests += 1;
      },
      handle: async (call) => withUsage(await made.handle(call), idOf(call), behaviour),
    };
  };

  return {
    routes: [
      ...edges.map((edge) => route(`/{version}/{id}/${edge}`, edge, (call) => listOf(call, edge))),
      route("/{version}/me/adaccounts", "adaccounts", accountsOf),
      route("/{version}/{id}/insights", "insights", insightsOf),
      {
        ...route("/{version}/{id}", "ad_node", (call) =>
          expansionOf(call).object(nodeOf(call), call.query.get("fields") ?? "id"),
        ),
        serves: ({ id }) => knows(id),
      },
    ],
    control: [
      {
        method: "POST",
        path: "/__sandbox/ads/accounts",
        about: "adds or replaces an ad account: {token, accountId, name, currency, timezone, status, campaigns}",
        handle(call) {
          const account = readAdAccount(controlInput(call), "account");
          if (!accounts.has(account.accountId) && accounts.size >= mostAccounts) {
            throw new BadInput(`at most ${mostAccounts} ad accounts`);
          }
          accounts.set(account.accountId, stored(account));
          return ok({ accountId: account.accountId, campaigns: account.campaigns?.length ?? 0 });
        },
      },
      {
        method: "PUT",
        path: "/__sandbox/ads/behaviour",
        about:
          "how the ad platform answers: {shortPages, emptyFirstPages, reduceAbove, accountPercent, resetSeconds, " +
          "insightsPercent, regainMinutes}; an empty object is ordinary again",
        handle(call) {
          behaviour = readBehaviour(controlInput(call), "behaviour");
          return ok(behaviour);
        },
      },
      {
        method: "GET",
        path: "/__sandbox/ads/requests",
        about: "how many requests the ad platform got since it was cleared",
        handle: () => ok({ requests }),
      },
    ],
    failure: graphFailure(errorStatuses),
    reset() {
      behaviour = ordinary;
      requests = 0;
    },
    close() {},
  };
}

const stored = (settings: SandboxAdAccount): Account => ({
  settings,
  nodes: new Map(nodesOf(settings).map((node) => [node.id, node])),
});

function withUsage(answer: Answer, id: string, usage: Usage): Answer {
  const { accountPercent = 1, resetSeconds = 0, insightsPercent = 1, regainMinutes = 0 } = usage;
  const byUseCase = {
    type: "ads_insights",
    call_count: accountPercent,
    total_cputime: 1,
    total_time: 1,
    estimated_time_to_regain_access: regainMinutes,
  };
  return {
    ...answer,
    headers: {
      ...answer.headers,
      "x-business-use-case-usage": JSON.stringify({ [id.replace(/^act_/, "") || "me"]: [byUseCase] }),
      "x-ad-account-usage": JSON.stringify({ acc_id_util_pct: accountPercent, reset_time_duration: resetSeconds }),
      "x-fb-ads-insights-throttle": JSON.stringify({ app_id_util_pct: 1, acc_id_util_pct: insightsPercent }),
    },
  };
}
