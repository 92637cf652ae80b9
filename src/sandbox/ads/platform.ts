import { BadInput, flag, integer, optional, type Settings, shape } from "../core/input.ts";
import { type Call, control, type Platform, type PlatformRoute } from "../core/route.ts";
import { type ErrorStatuses, graphFailure, idOf, tokenOf, unknownObject } from "../graph/graph.ts";
import { Expansion, nonexisting, type PageBehaviour } from "./expansion.ts";
import { type Node, nodesOf } from "./nodes.ts";
import { readAdAccount, type SandboxAdAccount } from "./settings.ts";

const readBehaviour = shape({
  shortPages: optional(integer(1, 500)),
  emptyFirstPages: optional(flag),
  reduceAbove: optional(integer(1, 500)),
  // The values in the usage headers of every answer.
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

/** The Marketing API, read only: accounts, campaigns, ad sets, ads, insights. Fields can contain other objects. */
export function adsPlatform(settings: readonly SandboxAdAccount[], errorStatuses: ErrorStatuses): Platform {
  const accounts = new Map<string, Account>();
  for (const account of settings) accounts.set(account.accountId, stored(account));
  let behaviour = ordinary;
  let requests = 0;

  const all = () => [...accounts.values()];
  const knows = (token: string) => all().some((account) => account.settings.token === token);

  function nodeOf(call: Call): Node {
    const token = tokenOf(call, knows);
    const id = idOf(call);
    const account = all().find(({ settings: { token: own }, nodes }) => own === token && nodes.has(id));
    const node = account?.nodes.get(id);
    if (!node) throw unknownObject(call);
    return node;
  }

  const expansionOf = (call: Call): Expansion => new Expansion(call, tokenOf(call, knows), behaviour);

  function listOf(call: Call, edge: string): object {
    const node = nodeOf(call);
    const nodes = node.edges[edge];
    if (!nodes) throw nonexisting(edge, node.type);
    return expansionOf(call).list(node.id, edge, nodes);
  }

  function accountsOf(call: Call): object {
    const token = tokenOf(call, knows);
    const own = all().filter((account) => account.settings.token === token);
    const nodes = own.flatMap(({ settings: { accountId }, nodes: known }) => known.get(accountId) ?? []);
    return expansionOf(call).list("me", "adaccounts", nodes);
  }

  function insightsOf(call: Call): object {
    const node = nodeOf(call);
    if (!node.insights) throw nonexisting("insights", node.type);
    const [preset, range, fields] = ["date_preset", "time_range", "fields"].map((name) => call.query.get(name));
    return expansionOf(call).insights(node.insights, preset ?? null, range ?? null, fields ?? "");
  }

  const route = (path: string, operation: string, handle: (call: Call) => object): PlatformRoute => ({
    route: `GET /v{version}${path}`,
    operation,
    handle,
    headers: (call) => usageHeaders(idOf(call), behaviour),
    counter: {
      countRequest() {
        requests += 1;
      },
    },
  });

  return {
    routes: [
      ...edges.map((edge) => route(`/{id}/${edge}`, edge, (call) => listOf(call, edge))),
      route("/me/adaccounts", "adaccounts", accountsOf),
      route("/{id}/insights", "insights", insightsOf),
      {
        ...route("/{id}", "ad_node", (call) =>
          expansionOf(call).object(nodeOf(call), call.query.get("fields") ?? "id"),
        ),
        serves: (asked) => all().some(({ nodes }) => nodes.has(idOf(asked))),
      },
    ],
    control: [
      control(
        "POST /__sandbox/ads/accounts",
        "adds or replaces an ad account: {token, accountId, name, currency, timezone, status, campaigns}",
        (input) => {
          const account = readAdAccount(input, "account");
          if (!accounts.has(account.accountId) && accounts.size >= mostAccounts) {
            throw new BadInput(`at most ${mostAccounts} ad accounts`);
          }
          accounts.set(account.accountId, stored(account));
          return { accountId: account.accountId, campaigns: account.campaigns?.length ?? 0 };
        },
      ),
      control(
        "PUT /__sandbox/ads/behaviour",
        "how the ad platform answers: {shortPages, emptyFirstPages, reduceAbove, accountPercent, resetSeconds, " +
          "insightsPercent, regainMinutes}; an empty object is ordinary again",
        (input) => {
          behaviour = readBehaviour(input, "behaviour");
          return behaviour;
        },
      ),
      control("GET /__sandbox/ads/requests", "how many requests the ad platform got since it was cleared", () => ({
        requests,
      })),
    ],
    failure: graphFailure(errorStatuses),
    reset() {
      behaviour = ordinary;
      requests = 0;
    },
  };
}

const stored = (settings: SandboxAdAccount): Account => ({
  settings,
  nodes: new Map(nodesOf(settings).map((node) => [node.id, node])),
});

function usageHeaders(id: string, usage: Usage): Readonly<Record<string, string>> {
  const { accountPercent = 1, resetSeconds = 0, insightsPercent = 1, regainMinutes = 0 } = usage;
  const byUseCase = {
    type: "ads_insights",
    call_count: accountPercent,
    total_cputime: 1,
    total_time: 1,
    estimated_time_to_regain_access: regainMinutes,
  };
  return {
    "x-business-use-case-usage": JSON.stringify({ [id.replace(/^act_/, "") || "me"]: [byUseCase] }),
    "x-ad-account-usage": JSON.stringify({ acc_id_util_pct: accountPercent, reset_time_duration: resetSeconds }),
    "x-fb-ads-insights-throttle": JSON.stringify({ app_id_util_pct: 1, acc_id_util_pct: insightsPercent }),
  };
}
