import fc from "fast-check";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { Random } from "../../src/sandbox/core/random.ts";
import { servedRoutes } from "../http/routes.ts";
import type { Answer } from "../support/http.ts";
import { Checks, describeLine, patienceMs } from "./checks.ts";
import { brokenInvariants } from "./invariants.ts";
import { asking, type FuzzRequest, requestsOf } from "./requests.ts";
import { Stage } from "./stage.ts";

interface FuzzSettings {
  readonly seed: number;
  /** After this number of requests, the fuzzer tests no further route. */
  readonly runs: number;
  /** After this number of seconds, the fuzzer tests no further route. */
  readonly seconds: number;
  /** Each round sends this many single requests to each route, and this many groups of requests to mixed routes. */
  readonly perRoute: number;
  readonly role: "all" | "api";
  /** The id of the only operation to test; all operations if it is not given. */
  readonly only?: string;
}

export interface Finding {
  readonly operationId: string;
  readonly problem: string;
  /** The seed of fast-check, and its path to the smallest failing case. */
  readonly seed: number;
  readonly path: string;
  readonly requests: readonly FuzzRequest[];
  readonly answer: string;
}

interface RouteFigures {
  requests: number;
  good: number;
  refused: number;
  failed: number;
  slowestMs: number;
}

export interface FuzzReport {
  readonly requests: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly routes: Readonly<Record<string, RouteFigures>>;
  readonly findings: readonly Finding[];
}

/** Sends requests that the schemas allow, and invalid ones. The same seed sends the same requests. */
export async function fuzz(settings: FuzzSettings): Promise<FuzzReport> {
  const stage = await Stage.open(settings.role);
  try {
    return await new Fuzzer(stage, await Checks.open(stage), settings).run();
  } finally {
    await stage.close();
  }
}

/** Errors that are expected in the log, with reasons. */
const wantedLines: Readonly<Record<string, string>> = {
  "pushing an order's change was given up": "the Pusher host refused it",
};

/** A wrong answer. */
class Broken extends Error {
  constructor(
    readonly operationId: string,
    readonly problem: string,
    readonly answer: string,
  ) {
    super(`${operationId}: ${problem}`);
  }
}

class Fuzzer {
  private readonly routes: readonly Route[];
  private readonly figures: Record<string, RouteFigures> = {};
  private readonly findings: Finding[] = [];
  /** Problems that were already reported. The fuzzer ignores these, so that it finds other problems. */
  private readonly known = new Set<string>();
  private readonly random: Random;
  private readonly started = Date.now();
  private requests = 0;
  private rounds = 0;
  private faults = false;

  constructor(
    private readonly stage: Stage,
    private readonly checks: Checks,
    private readonly settings: FuzzSettings,
  ) {
    this.random = new Random(settings.seed);
    this.routes = servedRoutes().filter(({ operationId }) => [undefined, operationId].includes(settings.only));
  }

  async run(): Promise<FuzzReport> {
    const rejections: unknown[] = [];
    const onRejection = (error: unknown) => void rejections.push(error);
    process.on("unhandledRejection", onRejection);
    try {
      while (!this.isOver()) await this.round();
      this.note("everything", await brokenInvariants(this.stage.world));
    } finally {
      process.off("unhandledRejection", onRejection);
    }
    this.note(
      "the process",
      rejections.map((error) => `unhandled rejection: ${error}`),
    );
    const seconds = (Date.now() - this.started) / 1_000;
    return { requests: this.requests, rounds: this.rounds, seconds, routes: this.figures, findings: this.findings };
  }

  private isOver(): boolean {
    return this.requests >= this.settings.runs || Date.now() - this.started >= this.settings.seconds * 1_000;
  }

  private async round(): Promise<void> {
    const { seed, perRoute } = this.settings;
    this.rounds += 1;
    for (const id of asking) await this.stage.restock(id);
    for (const route of this.routes) {
      if (this.isOver()) return;
      const one = requestsOf(route).map((each) => [each]);
      await this.chunk(route.operationId, one, perRoute, seed * 100_000 + this.rounds);
    }
    if (this.isOver()) return;
    const any = fc.oneof(...this.routes.map(requestsOf));
    const together = fc.array(any, { minLength: 2, maxLength: 8 });
    await this.chunk("several at once", together, perRoute, seed * 100_000 + this.rounds);
    for (const route of this.routes.filter(({ method }) => method !== "get")) {
      if (this.isOver()) return;
      const alike = requestsOf(route).map((each) => Array<FuzzRequest>(4).fill(each));
      await this.chunk(`${route.operationId}, four at once`, alike, 1, seed * 100_000 + this.rounds);
    }
  }

  /** Sends groups of requests. Then checks the records of the untouched business, and the log. */
  private async chunk(name: string, groups: fc.Arbitrary<FuzzRequest[]>, numRuns: number, seed: number): Promise<void> {
    const { stage } = this;
    stage.forgetSessions();
    stage.takeLog();
    await this.breakPlatforms();
    const before = await stage.digests();
    const property = fc.asyncProperty(groups, (requests) => this.sendAll(requests));
    const details = await fc.check(property, { seed, numRuns, interruptAfterTimeLimit: patienceMs });
    if (details.failed) this.report(name, details);
    const after = await stage.digests();
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    this.note(
      name,
      changed.map((table) => `changed ${table} of a business that did not ask (seed ${seed})`),
    );
    await stage.world.control("DELETE", "/faults");
    const background = stage
      .takeLog()
      .filter((line) => line.level === "error" && !("requestId" in line.fields) && !(line.message in wantedLines));
    this.note(
      name,
      background.map((line) => `the log says in the background (seed ${seed}): ${describeLine(line)}`),
    );
  }

  /** Lets the platforms fail in about half of the chunks, chosen at random. */
  private async breakPlatforms(): Promise<void> {
    this.faults = this.random.between(0, 1) === 1;
    if (!this.faults) return;
    const faults: readonly [object, ...object[]] = [
      { status: 500 },
      { status: 503, retry_after: 1 },
      { status: 429 },
      { status: 400, code: 100 },
      { status: 400, code: 130_429 },
      { status: 401, code: 190 },
      { garbage: true },
      { garbage: true, accept: true },
      { reset: true },
      { reset: true, accept: true },
      { delay_ms: 200 },
      { hang: true },
      { status: 502, accept: true },
    ];
    for (let n = this.random.between(1, 3); n > 0; n -= 1) {
      await this.stage.world.control("POST", "/faults", { count: 1, ...this.random.pick(faults) });
    }
  }

  private async sendAll(requests: readonly FuzzRequest[]): Promise<void> {
    const settled = await Promise.allSettled(requests.map((request) => this.sendOne(request)));
    for (const each of settled) if (each.status === "rejected") throw each.reason;
  }

  private async sendOne(request: FuzzRequest): Promise<void> {
    const { operationId } = request;
    const begun = Date.now();
    let answer: Answer;
    try {
      answer = await within(patienceMs, this.stage.send(request));
    } catch (error) {
      return this.broken(operationId, `no answer: ${error instanceof Error ? error.message : error}`, "");
    }
    this.count(operationId, answer, Date.now() - begun);
    const logged = this.stage.logOf(answer.headers["x-request-id"]);
    const problem = this.checks.problemOf(request, answer, logged, this.faults);
    if (problem !== null) this.broken(operationId, problem, `${answer.status} ${answer.text.slice(0, 500)}`);
  }

  private broken(operationId: string, problem: string, answer: string): void {
    if (!this.known.has(`${operationId}: ${problem}`)) throw new Broken(operationId, problem, answer);
  }

  private count(operationId: string, { status }: Answer, ms: number): void {
    this.requests += 1;
    const figures = this.figures[operationId] ?? { requests: 0, good: 0, refused: 0, failed: 0, slowestMs: 0 };
    this.figures[operationId] = figures;
    figures.requests += 1;
    figures[status < 400 ? "good" : status < 500 ? "refused" : "failed"] += 1;
    figures.slowestMs = Math.max(figures.slowestMs, ms);
  }

  private report(name: string, details: fc.RunDetails<[FuzzRequest[]]>): void {
    const { seed, counterexamplePath, counterexample, errorInstance: error } = details;
    const { operationId, problem, answer } =
      error instanceof Broken ? error : new Broken(name, `the test itself fails: ${error}`, "");
    this.known.add(`${operationId}: ${problem}`);
    this.findings.push({
      operationId: operationId === name ? name : `${operationId} (${name})`,
      problem,
      seed,
      path: counterexamplePath ?? "",
      requests: counterexample?.[0] ?? [],
      answer,
    });
  }

  private note(name: string, problems: readonly string[]): void {
    for (const problem of new Set(problems)) {
      const isKnown = this.known.has(problem.replace(/seed \d+/, ""));
      this.known.add(problem.replace(/seed \d+/, ""));
      const { seed } = this.settings;
      if (!isKnown) this.findings.push({ operationId: name, problem, seed, path: "", requests: [], answer: "" });
    }
  }
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`none within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
