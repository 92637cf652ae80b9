import { MongoBackend, MongoClient } from "@agendajs/mongo-backend";
import { type ClockStore, passiveBackend } from "./store.ts";

const collection = "recado_clock";
const timeoutMs = 5_000;

export function mongoStore(url: string, onError: (error: unknown) => void): ClockStore {
  const client = new MongoClient(url, {
    appName: "recado clock",
    maxPoolSize: 2,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: 12_000,
  });
  client.on("error", onError);
  const backend = new MongoBackend({ mongo: client.db(), collection });

  async function open(): Promise<void> {
    await client.connect();
    // Without the index, two processes that start at the same time would create two entries.
    await client.db().collection(collection).createIndex({ name: 1 }, { unique: true });
    await backend.connect();
  }

  return { backend: passiveBackend(backend, onError), open, close: () => client.close() };
}
