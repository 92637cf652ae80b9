import { expect } from "chai";
import { Metrics } from "../../src/infra/telemetry/metrics.ts";

describe("the metrics", () => {
  const linesOf = async (metrics: Metrics): Promise<string[]> => (await metrics.text()).split("\n");

  it("count requests and their durations, by method, route and status", async () => {
    const metrics = new Metrics(false);
    metrics.observe("GET", "/things/:id", 200, 0.004);
    metrics.observe("GET", "/things/:id", 200, 0.3);
    metrics.observe("GET", "/things/:id", 404, 0.001);
    const labels = 'method="GET",route="/things/:id",status="200"';
    expect(await linesOf(metrics)).to.include.members([
      `http_request_duration_seconds_bucket{le="0.005",${labels}} 1`,
      `http_request_duration_seconds_bucket{le="0.5",${labels}} 2`,
      `http_request_duration_seconds_count{${labels}} 2`,
      `http_request_duration_seconds_sum{${labels}} 0.304`,
      'http_request_duration_seconds_count{method="GET",route="/things/:id",status="404"} 1',
    ]);
  });

  it("count messages by channel and outcome", async () => {
    const metrics = new Metrics(false);
    for (let sent = 0; sent < 500; sent += 1) metrics.countMessage("cloud", "accepted");
    metrics.countMessage("sms", "refused");
    expect(await linesOf(metrics)).to.include.members([
      'messages_sent_total{channel="cloud",outcome="accepted"} 500',
      'messages_sent_total{channel="sms",outcome="refused"} 1',
    ]);
  });

  it("call gauges at each scrape, and survive one that fails", async () => {
    const metrics = new Metrics(false);
    let sockets = 3;
    metrics.gauge("sockets", "Open sockets", () => sockets);
    metrics.gauge("pool", "Connections", () => ({ idle: sockets, busy: 1 }));
    metrics.gauge("rows", "Asked of somebody else", async () => ({ due: sockets }));
    metrics.gauge("refused", "Not told", () => Promise.reject(new Error("gone")));
    metrics.gauge("broken", "Never known", () => {
      throw new Error("gone");
    });
    expect(await linesOf(metrics)).to.include.members(["sockets 3", 'pool{state="idle"} 3', 'pool{state="busy"} 1']);
    sockets = 4;
    expect(await linesOf(metrics)).to.include.members(["sockets 4", 'pool{state="idle"} 4', 'rows{state="due"} 4']);
  });

  it("describe the process, and each instance counts on its own", async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.countMessage("cloud", "accepted");
    expect(await one.text())
      .to.include("process_resident_memory_bytes")
      .and.include("nodejs_eventloop_lag_seconds");
    expect(await other.text()).to.not.include('channel="cloud"');
    expect(one.contentType).to.match(/^text\/plain; version=0\.0\.4/);
  });
});
