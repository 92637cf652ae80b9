import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import pg from "pg";
import type { Statement } from "../../src/infra/postgres/database.ts";
import type { BareHandler, BareSettings } from "./bare.ts";

/** The process that `startBare` starts; its argument is the JSON of `BareSettings`. */
async function serve({ name, databaseUrl, platformUrl, tokens }: BareSettings): Promise<void> {
  const { bare } = (await import(`./${name}.bench.ts`)) as { bare: BareHandler };
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const agent = new Agent({ keepAlive: true, scheduling: "lifo" });
  const { hostname, port: platformPort } = new URL(platformUrl);
  const handle = await bare({
    query: async <Row extends object>(statement: Statement, values: readonly unknown[]) =>
      (await pool.query<Row>({ ...statement, values: [...values] })).rows,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const result = await work(
          async <Row extends object>(statement: Statement, values: readonly unknown[]) =>
            (await client.query<Row>({ ...statement, values: [...values] })).rows,
        );
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    platform: async (businessId, method, path, body) => {
      const headers = { authorization: `Bearer ${tokens[businessId]}`, accept: "application/json" };
      const outgoing = request({
        agent,
        hostname,
        port: platformPort,
        method,
        path,
        headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
      });
      outgoing.end(body);
      const [response] = await once(outgoing, "response");
      return await text(response);
    },
  });
  const server = createServer((incoming, outgoing) => {
    text(incoming)
      .then((body) => handle(body, incoming.url ?? "", incoming.headers))
      .then(
        (body) => {
          const length = Buffer.byteLength(body);
          outgoing.writeHead(200, { "content-type": "application/json; charset=utf-8", "content-length": length });
          outgoing.end(body);
        },
        (error: unknown) => outgoing.writeHead(500).end(String(error)),
      );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
}

await serve(JSON.parse(process.argv[2] ?? ""));
