import { rootOf } from "../../../infra/http-client/http-client.ts";
import { parse } from "../../../infra/http-client/json.ts";
import { instantOf } from "../../../kernel/instants.ts";
import type { DriverLocation, DriverTracking } from "../../application/delivery/integrations.ts";
import type { IntegrationSettings } from "./integration.ts";

/** `GET <base>/drivers/<tracking id>/location`: a 200 has `{ lat, lng, at }`, a 404 stands for an unknown driver. */
export class HttpDriverTracking implements DriverTracking {
  constructor(private readonly settings: IntegrationSettings) {}

  /** Returns null without a request if the driver has no tracking id. */
  async locate(trackingId: string | null): Promise<DriverLocation | null> {
    const { client, baseUrl, timeoutMs, onFailure } = this.settings;
    // An empty id, or an id of dots alone, would change the path.
    if (trackingId === null || /^\.*$/.test(trackingId)) return null;
    const outcome = await client.request({
      method: "GET",
      url: `${rootOf(baseUrl)}/drivers/${encodeURIComponent(trackingId)}/location`,
      headers: { accept: "application/json" },
      timeouts: { connectMs: timeoutMs, totalMs: timeoutMs },
    });
    if (outcome.kind === "answer" && outcome.status === 404) return null;
    const location = outcome.kind === "answer" && outcome.status === 200 ? locationIn(outcome.text) : null;
    if (location) return location;
    onFailure(outcome.kind === "answer" ? `HTTP ${outcome.status} without a usable location` : outcome.reason);
    return null;
  }
}

function locationIn(text: string): DriverLocation | null {
  const { lat, lng, at } = parse(text);
  const moment = typeof at === "string" ? instantOf(at, "UTC") : null;
  return isDegrees(lat, 90) && isDegrees(lng, 180) && moment
    ? { latitude: lat, longitude: lng, at: moment.toISOString() }
    : null;
}

const isDegrees = (value: unknown, limit: number): value is number =>
  typeof value === "number" && Math.abs(value) <= limit;
