import { once } from "node:events";
import { Agent, request } from "node:http";

export interface Shot {
  /** `POST` unless given. */
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called by `openLoop` with the answer's status, or 0 without an answer. */
  readonly answered?: (status: number) => void;
}

export interface LoadSettings {
  readonly url: string;
  /** Kept-alive connections with one request at a time each. */
  readonly connections: number;
  /** No request is sent after this number of milliseconds. There is no limit unless given. */
  readonly ms?: number;
  /** The maximum number of requests. There is no limit unless given. */
  readonly requests?: number;
  readonly next: () => Shot;
  readonly isRight: (status: number, text: string) => boolean;
}

/** The result of a load. Latencies are in milliseconds. */
export interface Volley {
  readonly seconds: number;
  readonly latencies: readonly number[];
  readonly wrong: number;
  /** The status and the first 300 characters of the first wrong answer. */
  readonly firstWrong: string | undefined;
}

const requestLimitMs = 30_000;

/** Each connection sends a request as soon as the previous one is answered. Rejects if a connection breaks. */
export async function load(settings: LoadSettings): Promise<Volley> {
  const { connections, ms = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY, isRight } = settings;
  const { hostname, port } = new URL(settings.url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  let wrong = 0;
  let firstWrong: string | undefined;
  let begun = 0;
  const started = performance.now();

  const shoot = async ({ method = "POST", path, headers, body }: Shot): Promise<{ status: number; text: string }> => {
    const outgoing = request({
      agent,
      hostname,
      port,
      method,
      path,
      timeout: requestLimitMs,
      headers: {
        ...(body !== "" && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...headers,
      },
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${requestLimitMs} ms`)));
    outgoing.end(body);
    const [response] = await once(outgoing, "response");
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(response, "end");
    return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
  };

  const one = async (): Promise<void> => {
    while (begun < requests && performance.now() - started < ms) {
      begun += 1;
      const sentAt = performance.now();
      const { status, text } = await shoot(settings.next());
      latencies.push(performance.now() - sentAt);
      if (isRight(status, text)) continue;
      wrong += 1;
      firstWrong ??= `${status} ${text.slice(0, 300)}`;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return { seconds, latencies, wrong, firstWrong };
}
