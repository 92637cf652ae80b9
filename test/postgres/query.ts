import pg from "pg";

/** The first column of a statement's result, on a new connection. */
export async function valuesOf(url: string, text: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    const { rows } = await client.query<unknown[]>({ text, values, rowMode: "array" });
    return rows.map(([value]) => value);
  } finally {
    await client.end();
  }
}
