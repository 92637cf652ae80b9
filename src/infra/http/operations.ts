import { cached } from "../../kernel/cached.ts";
import type { Log } from "../../kernel/log.ts";
import { within } from "../../kernel/within.ts";
import type { FailureLimit } from "./middleware/rate-limit.ts";
import { HttpProblem, plainDialect } from "./routing/dialect.ts";
import { defineRoute, Reply, type Route } from "./routing/route.ts";
import { objectWith, problem, text } from "./routing/schema.ts";
import { sameText } from "./same-text.ts";

export interface OperationsParts {
  /** By name. A check rejects while the process cannot answer requests. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** True while balancers should choose other processes; requests are still answered. */
  readonly isDraining: () => boolean;
  /** True once no new connections are accepted. */
  readonly isStopping: () => boolean;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** The bearer key of `/metrics`. Without it the path answers 404. */
  readonly metricsKey?: string | undefined;
  readonly failures: FailureLimit;
  /** Milliseconds that a check may take, and for which its result is cached; 1,000 unless given. */
  readonly patienceMs?: number;
  /** Logs when a check starts to fail and when it succeeds again. */
  readonly log?: Log;
}

export const operationsRoutes = (parts: OperationsParts): readonly Route[] => [
  liveness(parts),
  readiness(parts),
  metrics(parts),
];

const common = { method: "get", tag: "Operations", auth: "none", dialect: plainDialect } as const;

const status = <const Values extends readonly string[]>(...values: Values) =>
  ({ type: "string", enum: values }) as const;

const liveSchema = { ...objectWith({ status: status("ok", "stopping") }), additionalProperties: false } as const;

const readySchema = {
  ...objectWith({
    status: status("ok", "unavailable", "stopping"),
    checks: { type: "object", additionalProperties: status("ok", "unavailable") },
  }),
  additionalProperties: false,
} as const;

const liveness = ({ isStopping }: OperationsParts): Route =>
  defineRoute({
    ...common,
    path: "/livez",
    operationId: "getLiveness",
    summary: "Tells whether the process runs",
    rateLimit: "none",
    responses: {
      200: { description: "It runs", schema: liveSchema },
      503: { description: "It is stopping", schema: liveSchema },
    },
    handle: () => (isStopping() ? new Reply(503, { status: "stopping" }) : { status: "ok" }),
  });

function readiness({ checks, isDraining, log, patienceMs = 1_000 }: OperationsParts): Route {
  const probes = Object.entries(checks).map(([name, check]) => [name, probeOf(name, check, patienceMs, log)] as const);
  const probeAll = async () =>
    Object.fromEntries(await Promise.all(probes.map(async ([name, probe]) => [name, await probe()] as const)));
  const look = cached(probeAll, patienceMs);
  return defineRoute({
    ...common,
    path: "/readyz",
    operationId: "getReadiness",
    summary: "Tells whether the process can answer requests, and what is missing",
    rateLimit: "none",
    responses: {
      200: { description: "It can", schema: readySchema },
      503: { description: "It cannot, or it is stopping", schema: readySchema },
    },
    handle: async () => {
      const found = await look();
      if (isDraining()) return new Reply(503, { status: "stopping", checks: found });
      const isReady = Object.values(found).every((state) => state === "ok");
      return isReady ? { status: "ok", checks: found } : new Reply(503, { status: "unavailable", checks: found });
    },
  });
}

type State = "ok" | "unavailable";

/** While the check is still running, it is not started again. */
function probeOf(
  name: string,
  check: () => Promise<void>,
  patienceMs: number,
  log: Log | undefined,
): () => Promise<State> {
  let running: Promise<void> | undefined;
  let latest: State = "ok";

  const settle = (state: State, err?: unknown): State => {
    if (state !== latest) {
      if (state === "ok") log?.info({ check: name }, "ready again");
      else log?.warn({ check: name, err }, "not ready");
    }
    latest = state;
    return state;
  };
  return async () => {
    running ??= Promise.resolve()
      .then(check)
      .finally(() => {
        running = undefined;
      });
    try {
      await within(patienceMs, running);
      return settle("ok");
    } catch (error) {
      return settle("unavailable", error);
    }
  };
}

function metrics({ metrics: source, metricsKey, failures }: OperationsParts): Route {
  return defineRoute({
    ...common,
    path: "/metrics",
    operationId: "getMetrics",
    summary: "What the process tells Prometheus; the key goes into `Authorization: Bearer`",
    rateLimit: "none",
    responses: {
      200: { description: "Metrics", type: source.contentType, schema: text },
      401: { description: "The key is missing or wrong", schema: problem },
      404: { description: "No key is configured", schema: problem },
      429: { description: "A wrong key, after too many from this address", schema: problem },
    },
    handle: async ({ headers, ip }) => {
      if (!metricsKey) throw new HttpProblem(404, "Not found");
      if (!sameText(headers.authorization ?? "", `Bearer ${metricsKey}`)) {
        await failures.refuse(ip, new HttpProblem(401, "Unauthorized", { "WWW-Authenticate": "Bearer" }));
      }
      return new Reply(200, await source.text(), {}, source.contentType);
    },
  });
}
