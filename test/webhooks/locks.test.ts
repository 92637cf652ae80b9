import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { Hooks } from "./support.ts";

describe("An endpoint that a request changes while events are assigned to it", () => {
  let hooks: Hooks;
  before(async () => {
    hooks = await Hooks.start();
  });
  after(() => hooks.stop());
  afterEach(() => hooks.clear());

  const body = { url: "https://example.com/other", events: ["message.new"] };
  const requests = {
    "is changed": ["PUT", "", body, 200],
    "is disabled": ["PUT", "", { ...body, disabled: true }, 200],
    "gets another secret": ["POST", "/rotate", {}, 200],
    "is removed": ["DELETE", "", undefined, 204],
  } as const;

  for (const [what, [method, path, sent, status]] of Object.entries(requests)) {
    it(`${what} after that, and does not lock the endpoint while it waits`, async () => {
      const receiver = await hooks.receiver();
      const { id } = await hooks.hook(receiver.url);
      const answered = await hooks.world.database.transaction(async (transaction) => {
        const run = (text: string) => transaction.rows({ name: "", text }, [id]);
        await run("select from webhook_progress where business_id = 1 and webhook_id = $1 for no key update");
        const answered = hooks.ask(method, `/${id}${path}`, sent);
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        await eventually(async () => (await hooks.world.rows(waiting)).length > 0);
        // Both statements succeed only if the waiting request has not locked the endpoint.
        await run("select from webhooks where business_id = 1 and id = $1 for key share nowait");
        await run("select from webhooks where business_id = 1 and id = $1 for no key update nowait");
        return { answered };
      });
      expect((await answered.answered).status).to.equal(status);
    });
  }
});
