import type { HttpClient } from "../../../infra/http-client/http-client.ts";

/** What is done without when it does not answer. */
export interface IntegrationSettings {
  readonly client: Pick<HttpClient, "request">;
  readonly baseUrl: string;
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
  /** Hears, in words that are safe for logs, why there was no usable answer. */
  readonly onFailure: (reason: string) => void;
}
