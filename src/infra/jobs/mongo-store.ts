import { MongoBackend, MongoClient } from "@agendajs/mongo-backend";
import { type ClockStore, passiveBackend } from "./store.ts";

const collection = "recado_clock";
const timeoutMs = 5_000;

/** Keeps the times in the collection `recado_clock`. Processes find triggers by polling. */
export function mongoStore(url: string, onError: (error: unknown) => void): ClockStore {
  const client = new MongoClient(url, {
    appName: "recado clock",
    maxPoolSize: 3,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: 12_000,
  });
  client.on("error", onError);
  const backend = new MongoBackend({ mongo: client.db(), collection });

  async function open(): Promise<void> {
    await client.connect();
    // Without it two processes that start at once make two entries for one tick.
    await client.db().collection(collection).createIndex({ name: 1 }, { unique: true });
    await backend.connect();
  }

  const { name, repository } = backend;
  return {
    backend: passiveBackend({ name, repository }, onError),
    // The library leaves an entry unchanged when its new time is past already.
    triggerInMs: 20,
    open,
    close: () => client.close(),
  };
}
