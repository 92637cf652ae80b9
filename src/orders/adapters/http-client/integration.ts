import type { HttpClient } from "../../../infra/http-client/http-client.ts";

/** Settings of an integration that orders do not depend on: its failures are only reported. */
export interface IntegrationSettings {
  readonly client: Pick<HttpClient, "request">;
  readonly baseUrl: string;
  /** Milliseconds for the whole request. */
  readonly timeoutMs: number;
  /** Called with the reason if there was no usable answer. The reason is safe for logs. */
  readonly onFailure: (reason: string) => void;
}
