import { Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { config, util } from "chai";
import { closeTestServer } from "./database.ts";
import { recordStatements } from "./record-statements.ts";

const { RECORD_STATEMENTS } = process.env;
if (RECORD_STATEMENTS) recordStatements(RECORD_STATEMENTS);

// Node's comparison takes a tenth of the time of chai's. Where Node finds a difference, chai decides, since chai also
// accepts equal objects of different prototypes.
config.deepEqual = (expected, actual) => isDeepStrictEqual(expected, actual) || util.eql(expected, actual);

/** There is no setup, since the first test that needs a database starts the server. */
export async function mochaGlobalTeardown(): Promise<void> {
  await closeTestServer();
  setTimeout(endWhatIsStuck, endMs).unref();
}

/** How long the process may take to end after its last test. An open resource would keep it running. */
const endMs = 20_000;

function endWhatIsStuck(): void {
  const open = [...process.getActiveResourcesInfo(), ...openSockets()].join(", ");
  console.log(`The process did not end after its last test. Tests left these open: ${open}`);
  process.exit(1);
}

/** `_getActiveHandles` is not documented, but nothing else gives the ports of open sockets. */
function openSockets(): string[] {
  const { _getActiveHandles } = process as unknown as { _getActiveHandles?(): object[] };
  const sockets = (_getActiveHandles?.() ?? []).filter((handle) => handle instanceof Socket && handle.remotePort);
  return (sockets as Socket[]).map(({ localPort, remotePort }) => `socket from ${localPort} to ${remotePort}`);
}

// mocha ignores unhandled rejections.
process.on("unhandledRejection", (error) => {
  throw error;
});
