import { Database } from "../../src/infra/postgres/database.ts";
import { freshDatabase } from "./database.ts";

export interface OpenDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the connections and drops the database. */
  close(): Promise<void>;
}

/** A fresh database with connections to it. */
export async function openDatabase(poolSize = 1): Promise<OpenDatabase> {
  const { url, drop } = await freshDatabase();
  const database = Database.open({ url, poolSize, statementTimeoutMs: 10_000, connectTimeoutMs: 5_000 }, () => {});
  const close = async () => {
    await database.close();
    await drop();
  };
  return { url, database, close };
}
