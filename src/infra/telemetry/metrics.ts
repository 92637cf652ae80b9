import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Upper bounds in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Milliseconds between samples of the event loop's delay. Each sample wakes the process: the default of 10 ms costs
 * 7 ms of CPU per second.
 */
const loopLookMs = 100;

type Reading = number | Readonly<Record<string, number>>;

export class Metrics {
  private readonly registry = new Registry();
  private readonly requests: Histogram;
  private readonly requestSeries = new Map<string, Histogram.Internal<string>>();

  /** The outcome is one of a few constants, such as `accepted`. */
  readonly countMessage = this.counter("messages_sent_total", "Messages handed to a platform, by channel and outcome", [
    "channel",
    "outcome",
  ]);
  /** The cause is one of a few constants. */
  readonly countRefusal = this.counter(
    "http_requests_refused_total",
    "Requests turned away so that others are answered, by what was full",
    ["cause", "status"],
  );
  readonly countIgnoredWebhook = this.counter(
    "webhooks_ignored_total",
    "Webhooks of platforms that tell of nothing that is read, by channel",
    ["channel"],
  );
  readonly countUnreadableWebhook = this.counter(
    "webhooks_unreadable_total",
    "Webhooks of platforms that cannot be understood, by channel",
    ["channel"],
  );
  /** The reason is one of a few constants. */
  readonly countDroppedNews = this.counter(
    "webhook_news_dropped_total",
    "News in webhooks that are about a sender, a message or a chat that is not here, by channel and reason",
    ["channel", "reason"],
  );
  /** The outcome is `stored`, `gone`, `later` or `dropped`. */
  readonly countFile = this.counter(
    "incoming_files_total",
    "Attempts to fetch files of customers, by channel and outcome",
    ["channel", "outcome"],
  );

  /** @param ofProcess - whether to include memory, CPU, event loop and garbage collection */
  constructor(ofProcess = true) {
    this.requests = new Histogram({
      name: "http_request_duration_seconds",
      help: "How long requests took, by the pattern of their route",
      labelNames: ["method", "route", "status"],
      buckets: durationBuckets,
      registers: [this.registry],
    });
    if (ofProcess) collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: loopLookMs });
  }

  /** @param route - the pattern, not the path, since each value is a time series of its own */
  readonly observe = (method: string, route: string, status: number, seconds: number): void => {
    const key = `${method} ${status} ${route}`;
    let series = this.requestSeries.get(key);
    if (!series) {
      series = this.requests.labels(method, route, String(status));
      this.requestSeries.set(key, series);
    }
    series.observe(seconds);
  };

  /** Calls `read` at each scrape. A record holds one number per `state`. If `read` fails, the gauge keeps its value. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void {
    new Gauge({
      name,
      help,
      labelNames: ["state"],
      registers: [this.registry],
      async collect() {
        const value = (await attempt(read)) ?? {};
        if (typeof value === "number") return this.set(value);
        for (const [state, count] of Object.entries(value)) this.set({ state }, count);
      },
    });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /**
   * Returns a function that takes the labels' values, and optionally a count (1 by default). Series are kept in a map,
   * because the library's own lookup by labels costs several times as much.
   */
  private counter<const Labels extends readonly string[]>(name: string, help: string, labelNames: Labels) {
    const counter = new Counter({ name, help, labelNames, registers: [this.registry] });
    const known = new Map<string, Counter.Internal>();
    return (...given: [...values: { [Label in keyof Labels]: string | number }, count?: number]): void => {
      const values = given.slice(0, labelNames.length).map(String);
      const key = values.join(" ");
      let series = known.get(key);
      if (!series) {
        series = counter.labels(...values);
        known.set(key, series);
      }
      series.inc(Number(given[labelNames.length] ?? 1));
    };
  }
}

/** One broken gauge must not fail the whole scrape. */
async function attempt(read: () => Reading | Promise<Reading>): Promise<Reading | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
