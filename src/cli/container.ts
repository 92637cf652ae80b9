import { closeCells } from "../bootstrap/cells.module.ts";
import { readConfig } from "../bootstrap/config.ts";
import { type Container, createContainer } from "../bootstrap/container.ts";
import { type Name, resolve, type Services } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { databaseUrl } from "./command.ts";

/** A log level, and placeholders for required settings that commands do not need if they only use the database. */
export const unused = {
  MESSAGING_PLATFORM_URL: "http://unused.invalid",
  PLATFORM_APP_SECRET: "unused",
  PLATFORM_VERIFY_TOKEN: "unused",
  LOG_LEVEL: "warn",
};

/** A container for commands that only read what services define, such as their routes. It cannot reach a database. */
export const idleContainer = (): Container =>
  createContainer(
    readConfig({ ...unused, DATABASE_URL: "postgres://unused.invalid/unused", MASTER_SECRET: "unused ".repeat(6) }),
  );

/** Calls `work` with the service that `tokens` has under this name. The process serves no requests. */
export async function withService<N extends Name, Result>(
  name: N,
  work: (service: Services[N], container: Container) => Promise<Result>,
): Promise<Result> {
  databaseUrl();
  const container = createContainer(readConfig({ ...unused, ...process.env, ROLE: "worker" }));
  try {
    return await work(container.get<Services[N]>(tokens[name]), container);
  } finally {
    await closeCells(resolve(container, tokens.openedCells));
  }
}
