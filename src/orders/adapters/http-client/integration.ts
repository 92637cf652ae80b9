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

/** The fields of a JSON object from outside: any of them may be missing or of any type. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object without fields stands for everything that is no JSON object. */
export function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** Without the slashes at its end, so that a path can follow. */
export const rootOf = (url: string): string => url.replace(/\/+$/, "");
