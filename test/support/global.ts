import { closeTestServer } from "./database.ts";
import { recordStatements } from "./record-statements.ts";

const { RECORD_STATEMENTS } = process.env;
if (RECORD_STATEMENTS) recordStatements(RECORD_STATEMENTS);

/** Nothing is started here: the first test that asks for a database starts the server. */
export async function mochaGlobalTeardown(): Promise<void> {
  await closeTestServer();
  setTimeout(endWhatIsStuck, endMs).unref();
}

/** After its last test a process has this long to end. Something that a test left open would keep it forever. */
const endMs = 20_000;

function endWhatIsStuck(): void {
  const open = process.getActiveResourcesInfo().join(", ");
  console.log(`The process did not end after its last test. Tests left these open: ${open}`);
  process.exit(1);
}

// mocha lets a run pass in which a promise was rejected and nobody looked.
process.on("unhandledRejection", (error) => {
  throw error;
});
