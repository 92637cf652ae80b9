import { asyncApi, openApiOf } from "../bootstrap/documents.ts";
import { runCommand } from "./command.ts";
import { idleContainer } from "./container.ts";

const documents = { openapi: () => openApiOf(idleContainer()), asyncapi: asyncApi } as const;

/** Prints an API document as the service serves it. */
await runCommand(async () => {
  const name = process.argv[2] ?? "";
  if (!Object.hasOwn(documents, name)) throw new Error(`name a document: ${Object.keys(documents).join(" or ")}`);
  console.log(JSON.stringify(documents[name as keyof typeof documents](), null, 2));
});
