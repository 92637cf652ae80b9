import { closeTestServer } from "./database.ts";

/** Nothing is started here: the first test that asks for a database starts the server. */
export const mochaGlobalTeardown = closeTestServer;

// mocha lets a run pass in which a promise was rejected and nobody looked.
process.on("unhandledRejection", (error) => {
  throw error;
});
