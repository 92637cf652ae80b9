import { closeTestServer } from "./database.ts";
import { recordStatements } from "./record-statements.ts";

const { RECORD_STATEMENTS } = process.env;
if (RECORD_STATEMENTS) recordStatements(RECORD_STATEMENTS);

/** Nothing is started here: the first test that needs a database starts the server. */
export async function mochaGlobalTeardown(): Promise<void> {
  await closeTestServer();
  setTimeout(endWhatIsStuck, endMs).unref();
}

/** How long the process may take to end after its last test. An open resource would keep it running. */
const endMs = 20_000;

function endWhatIsStuck(): void {
  const open = process.getActiveResourcesInfo().join(", ");
  console.log(`The process did not end after its last test. Tests left these open: ${open}`);
  process.exit(1);
}

// mocha ignores unhandled rejections.
process.on("unhandledRejection", (error) => {
  throw error;
});
