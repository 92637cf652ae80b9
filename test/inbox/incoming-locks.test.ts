import { expect } from "chai";
import type { IncomingNews } from "../../src/inbox/domain/incoming.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { tellOn } from "./incoming-support.ts";

/** The number of messages in a batch, more than the 200 that fit into one statement. */
const many = 250;

interface Sent {
  readonly contactId: number;
  readonly conversationId: number;
  readonly phone: string;
  readonly reference: string;
}

describe("a large batch of news", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1)], environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  let series = 0;
  /** Stores outgoing messages in the state `unknown`, each in its own chat. */
  const sent = async (): Promise<Sent[]> => {
    series += 1;
    return world.rows<Sent>(
      `with people as (
         insert into contacts (business_id, name, phone, platform_id)
         select 1, 'Ana', phone, phone from (
           select '5917' || $1::integer || lpad(place::text, 4, '0') as phone from generate_series(1, $2::integer) as place
         ) as given order by phone
         returning id, phone
       ),
       rooms as (
         insert into chats (business_id, contact_id, provider) select 1, id, $3 from people order by id
         returning id, contact_id
       ),
       talks as (
         insert into conversations (business_id, chat_id, state) select 1, id, 'pending' from rooms order by id
         returning id, chat_id
       ),
       written as (
         insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
                               reference, takes_conversation)
         select 1, chat_id, id, 'out', 'text', 'Hola', 'business', 'N', 'unknown', gen_random_uuid(), true from talks
         returning chat_id, conversation_id, reference
       )
       select people.id as "contactId", written.conversation_id as "conversationId", people.phone, written.reference
       from people join rooms on rooms.contact_id = people.id join written on written.chat_id = rooms.id
       order by people.id`,
      [series, many, cloudChannel],
    );
  };
  /** The statuses in reverse order. With `many` messages, the first message's status is in the last statement. */
  const statusesOf = (messages: readonly Sent[]): Partial<IncomingNews> => ({
    statuses: messages.toReversed().map(({ phone, reference }, index) => ({
      ...{ sender: "number-1", platformMessageId: `wamid.lock.${series}.${index}`, reference, state: "sent" },
      recipientId: `1${phone}`,
    })),
  });

  /** Locks the first row and lets the batch wait for it. Returns whether the last row is still unlocked then. */
  const isLastFree = async (
    table: "contacts" | "conversations",
    ids: readonly number[],
    news: Partial<IncomingNews>,
  ) => {
    const [first = 0, last = 0] = [ids[0], ids.at(-1)];
    let told: Promise<unknown> = Promise.resolve();
    const isFree = await world.database.transaction(async (holder) => {
      const locking = `select id from ${table} where business_id = 1 and id = $1 for no key update`;
      await holder.rows({ name: `hold_${table}`, text: locking }, [first]);
      told = tellOn(world, cloudChannel)(news);
      const waiting = "select from pg_locks where not granted and locktype = 'transactionid'";
      await eventually(async () => (await world.rows(waiting)).length > 0);
      const free = await world.rows(`${locking} skip locked`, [last]);
      return free.length === 1;
    });
    await told;
    return isFree;
  };

  it("locks contacts in the order of their ids, whatever its own order", async () => {
    const messages = await sent();
    expect(
      await isLastFree(
        "contacts",
        messages.map(({ contactId }) => contactId),
        statusesOf(messages),
      ),
    ).to.equal(true);
  });

  it("locks contacts in one order for statuses and marketing preferences", async () => {
    const [one, two] = (await sent()) as [Sent, Sent];
    const preferences = [{ sender: "number-1", from: one.phone, optedOut: true, occurredAt: new Date() }];
    const news = { ...statusesOf([two]), preferences };
    expect(await isLastFree("contacts", [one.contactId, two.contactId], news)).to.equal(true);
  });

  it("locks conversations in the order of their ids, whatever its own order", async () => {
    const messages = await sent();
    const ids = messages.map(({ conversationId }) => conversationId);
    expect(await isLastFree("conversations", ids, statusesOf(messages))).to.equal(true);
    const [{ waiting }] = (await world.rows<{ waiting: number }>(
      "select count(*)::integer as waiting from conversations where id = any($1) and state = 'pending'",
      [ids],
    )) as [{ waiting: number }];
    expect(waiting).to.equal(0);
  });
});
