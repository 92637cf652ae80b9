import { expect } from "chai";
import { resolveAll } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

/** By tick: the table that the tick purges, and a row that is old enough to be purged. */
const old = {
  "events.purge": [
    "realtime_events",
    "(business_id, number, name, payload, at) values (1, 1, 'chat:changed', '{}', now() - interval '1 year')",
  ],
  "contacts.purge-refused": [
    "refused_contacts",
    "(business_id, file, part, content, created_at) values (1, 'r_1', 0, '', now() - interval '1 year')",
  ],
  "statuses.purge-early": [
    "early_statuses",
    `(business_id, platform_message_id, provider, sender, state, heard_at)
     values (1, 'wamid.1', 'qr', 'number-1', 'read', now() - interval '1 year')`,
  ],
  "webhooks.tidy": [
    "webhook_events",
    `(business_id, number, name, type, payload, at, kept_at)
     values (1, 1, 'chat:changed', 'chat.changed', '{}', now(), now() - interval '1 year')`,
  ],
} as const;

describe("ticks that purge", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1)], environment: { ROLE: "api" } });
  });
  after(() => world?.stop());

  for (const [name, [table, row]] of Object.entries(old)) {
    it(`end when their time is over, and purge what is left the next time: ${name}`, async () => {
      await world.rows(`insert into ${table} ${row}`);
      const left = async () => (await world.rows(`select from ${table}`)).length;
      const tick = resolveAll(world.container, tokens.tick).find((each) => each.name === name);
      await tick?.run(AbortSignal.abort());
      expect(await left()).to.equal(1);
      await tick?.run(new AbortController().signal);
      expect(await left()).to.equal(0);
    });
  }
});
