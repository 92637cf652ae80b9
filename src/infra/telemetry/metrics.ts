import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Each look at the event loop wakes the process: every 10 ms, as by default, costs 7 ms of CPU a second. */
const loopLookMs = 100;

type Reading = number | Readonly<Record<string, number>>;

/** What a process tells Prometheus. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests: Histogram<"method" | "route" | "status">;
  private readonly messages: Counter<"channel" | "outcome">;
  private readonly refusals: Counter<"cause" | "status">;
  private readonly ignored: Counter<"channel">;
  private readonly unreadable: Counter<"channel">;
  private readonly dropped: Counter<"channel" | "reason">;
  private readonly files: Counter<"channel" | "outcome">;
  private readonly refusalSeries = new Map<string, Counter.Internal>();
  private readonly messageSeries = new Map<string, Counter.Internal>();
  private readonly requestSeries = new Map<string, Histogram.Internal<"method" | "route" | "status">>();

  /** @param ofProcess - also memory, CPU, event loop and garbage collection */
  constructor(ofProcess = true) {
    const registers = [this.registry];
    this.requests = new Histogram({
      name: "http_request_duration_seconds",
      help: "How long requests took, by the pattern of their route",
      labelNames: ["method", "route", "status"],
      buckets: durationBuckets,
      registers,
    });
    this.messages = new Counter({
      name: "messages_sent_total",
      help: "Messages handed to a platform, by channel and outcome",
      labelNames: ["channel", "outcome"],
      registers,
    });
    this.refusals = new Counter({
      name: "http_requests_refused_total",
      help: "Requests turned away so that others are answered, by what was full",
      labelNames: ["cause", "status"],
      registers,
    });
    this.ignored = new Counter({
      name: "webhooks_ignored_total",
      help: "Webhooks of platforms that tell of nothing that is read, by channel",
      labelNames: ["channel"],
      registers,
    });
    this.unreadable = new Counter({
      name: "webhooks_unreadable_total",
      help: "Webhooks of platforms that cannot be understood, by channel",
      labelNames: ["channel"],
      registers,
    });
    this.dropped = new Counter({
      name: "webhook_news_dropped_total",
      help: "News in webhooks that are about a sender, a message or a chat that is not here, by channel and reason",
      labelNames: ["channel", "reason"],
      registers,
    });
    this.files = new Counter({
      name: "incoming_files_total",
      help: "Attempts to fetch files of customers, by channel and outcome",
      labelNames: ["channel", "outcome"],
      registers,
    });
    if (ofProcess) collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: loopLookMs });
  }

  /** @param route - the pattern, never the path: each value becomes a time series */
  readonly observe = (method: string, route: string, status: number, seconds: number): void => {
    const key = `${method} ${status} ${route}`;
    let series = this.requestSeries.get(key);
    if (!series) {
      series = this.requests.labels(method, route, String(status));
      this.requestSeries.set(key, series);
    }
    series.observe(seconds);
  };

  /** @param cause - few and fixed */
  readonly countRefusal = (cause: string, status: number): void => {
    const key = `${status} ${cause}`;
    let series = this.refusalSeries.get(key);
    if (!series) {
      series = this.refusals.labels(cause, String(status));
      this.refusalSeries.set(key, series);
    }
    series.inc();
  };

  countIgnoredWebhook(channel: string): void {
    this.ignored.inc({ channel });
  }

  countUnreadableWebhook(channel: string): void {
    this.unreadable.inc({ channel });
  }

  /** @param reason - few and fixed */
  countDroppedNews(channel: string, reason: string, count: number): void {
    this.dropped.inc({ channel, reason }, count);
  }

  /** @param outcome - `stored`, `gone`, `later` or `dropped` */
  countFile(channel: string, outcome: string): void {
    this.files.inc({ channel, outcome });
  }

  /** @param outcome - such as `accepted`, `refused`, `unknown`; few and fixed */
  countMessages(channel: string, outcome: string, count = 1): void {
    const key = `${channel} ${outcome}`;
    let series = this.messageSeries.get(key);
    if (!series) {
      series = this.messages.labels(channel, outcome);
      this.messageSeries.set(key, series);
    }
    series.inc(count);
  }

  /**
   * `read` is called for each scrape: one number, or one for each value of the label `state`. When it throws or
   * rejects, the gauge keeps its last value.
   */
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

  /** In Prometheus' text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }
}

/** One broken gauge must not cost the whole scrape. */
async function attempt(read: () => Reading | Promise<Reading>): Promise<Reading | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
