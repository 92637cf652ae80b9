import { expect } from "chai";
import type { OwnProcess } from "../bench/processes.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { testedFrom } from "../support/program.ts";
import { Arena } from "./arena.ts";
import type { Row } from "./row.ts";
import { rows } from "./rows/rows.ts";
import { runRowOn, sumOf } from "./run-row.ts";

/** Short phases; `main.ts` runs longer ones with bounds for times. */
const pace = { warm: 200, quiet: 500, attack: 1_500, recover: 0 };

/** The tested rows, with the allowed outcomes of their attackers' requests. */
const slice: Readonly<Record<string, readonly string[]>> = {
  "token-in-body": ["400", "401", "413", "429"],
  "many-parameters": ["400", "401", "403", "429"],
  "endless-upload": ["401", "429"],
  imports: ["200", "429"],
  "form-parts": ["400", "429"],
  "failures-of-others": ["401", "429"],
  "slow-headers": ["408", "429", "503", "cut", "refused"],
  "socket-frames": [],
  // After wrong passwords, an address must wait before its next sign-in. Therefore this row is the last.
  "sign-ins": ["401", "429", "503"],
};

describe("an attack by one client", () => {
  let database: TestDatabase | undefined;
  let arena: Arena | undefined;
  let service: OwnProcess | undefined;

  // One process for all rows, since a start takes seconds.
  before(async () => {
    database = await freshDatabase();
    arena = await Arena.open(database.url, testedFrom, { others: 0, orders: 100, contacts: 10, records: 10 });
    service = await arena.service();
  });
  after(async () => {
    await service?.kill();
    await arena?.close();
    await database?.drop();
  });

  for (const [name, expected] of Object.entries(slice)) {
    it(`does not stop another client: ${name}`, async () => {
      const scene = { arena: arena as Arena, service: service as OwnProcess };
      const { attacked, found, told } = await runRowOn(scene, rows[name] as Row, pace);
      expect(found).to.deep.equal([]);
      expect(attacked.requests).to.be.greaterThan(0);
      expect(expected).to.include.members(Object.keys(sumOf(told.map(({ outcomes }) => outcomes))));
    });
  }
});
