import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";
import { quantile } from "./table.ts";

/** The behaviour of a webhook receiver. */
export type Manner = "takes" | "hangs" | "fails" | "gone" | "redirects";

/** The body of `POST /manners`, which replaces the receivers' behaviour and resets their counts. */
export interface Manners {
  /** One per receiver. Each receiver has the path `/hook/<index>`. */
  readonly manners: readonly Manner[];
}

/** Counts and delays of the requests that receivers accepted. */
export interface Taken {
  /** The number of accepted requests without the repeats. */
  readonly count: number;
  readonly repeats: number;
  /** Milliseconds from the start of the transaction that logged an event to the event's arrival. */
  readonly p50: number;
  readonly p99: number;
}

const statusOf: Readonly<Record<Exclude<Manner, "hangs">, number>> = {
  takes: 200,
  fails: 503,
  gone: 410,
  redirects: 307,
};

/** The program: a server with all webhook receivers. It prints its address and counts the requests. */
function serve(): void {
  let manners: readonly Manner[] = [];
  let seen: Set<string>[] = [];
  let delays: number[] = [];
  let repeats = 0;

  const take = (place: number, id: string, body: string): void => {
    if (seen[place]?.has(id)) {
      repeats += 1;
      return;
    }
    seen[place]?.add(id);
    // Only the start of the body is searched, since the timestamp comes before the long data.
    const at = /"timestamp":"([^"]+)"/.exec(body.slice(0, 200))?.[1];
    delays.push(Date.now() - Date.parse(at ?? ""));
  };
  const answer = (response: ServerResponse, status: number, body = "", headers = {}): void => {
    response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(body);
  };

  const server = createServer(async (request, response) => {
    const { url = "" } = request;
    if (url === "/manners") {
      manners = ((await json(request)) as Manners).manners;
      seen = manners.map(() => new Set());
      delays = [];
      repeats = 0;
      answer(response, 200, "{}");
    } else if (url === "/taken") {
      const taken: Taken = {
        count: delays.length,
        repeats,
        p50: quantile(delays, 0.5),
        p99: quantile(delays, 0.99),
      };
      answer(response, 200, JSON.stringify(taken));
    } else if (url === "/count") {
      answer(response, 200, JSON.stringify({ count: delays.length }));
    } else {
      const place = Number(url.slice(url.lastIndexOf("/") + 1));
      const manner = manners[place] ?? "takes";
      const body = await text(request);
      if (manner === "hangs") return;
      if (manner === "takes") take(place, String(request.headers["webhook-id"]), body);
      answer(response, statusOf[manner], "", manner === "redirects" ? { location: "/hook/elsewhere" } : {});
    }
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
  });
}

if (process.argv[1]?.endsWith("hook-receivers.ts")) serve();
