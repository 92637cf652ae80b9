import { closeTestServer } from "./database.ts";

/** Nothing is started here: the first test that asks for a database starts the server. */
export const mochaGlobalTeardown = closeTestServer;
