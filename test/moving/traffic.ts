import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../src/sandbox/core/random.ts";
import type { Cell, Stage } from "./stage.ts";

type Say = (text: string, values?: readonly unknown[]) => Promise<void>;

/** Kinds of writes. After a move, their results must be in the new cell. */
const kinds: readonly ((say: Say, random: Random, mark: string) => Promise<void>)[] = [
  (say, random, mark) =>
    say(
      `insert into contacts (business_id, name, phone, platform_id) values ($1, $2, $3, $3)
       on conflict do nothing`,
      [mark, String(70_000_000 + random.between(1, 400))],
    ),
  // Frees a unique phone number. A contact without a chat is deleted, a contact with a chat gets another number.
  (say, random) =>
    say(
      `with gone as (delete from contacts where business_id = $1 and phone = $2 and not exists (
           select from chats where business_id = $1 and contact_id = contacts.id) returning name),
         freed as (update contacts set phone = $2 || '9' || id where business_id = $1 and phone = $2 returning 1)
       select 1`,
      [String(70_000_000 + random.between(1, 400))],
    ),
  // Closes a chat's conversation, opens another one and writes to it. A chat may have only one open conversation.
  async (say, random) => {
    const place = random.between(0, 30);
    const chat = `(select id from chats where business_id = $1 order by id offset $2 limit 1)`;
    await say(
      `update conversations set closed_at = now() where business_id = $1 and closed_at is null and chat_id = ${chat}`,
      [place],
    );
    await say(`insert into conversations (business_id, chat_id, state) select $1, id, 'bot' from ${chat} as chat`, [
      place,
    ]);
    await say(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state)
       select business_id, chat_id, id, 'in', 'text', repeat('x', ${random.between(1, 3_000)}), 'contact', 'Carla', 'received'
       from conversations where business_id = $1 and closed_at is null and chat_id = ${chat}`,
      [place],
    );
  },
  (say, random) =>
    say(
      `update chats set unread = $2 where business_id = $1 and id in (
         select id from chats where business_id = $1 order by id offset $3 limit 5)`,
      [random.between(0, 5), random.between(0, 30)],
    ),
  (say, random) =>
    say(
      `delete from messages where business_id = $1 and id % 11 = $2 and id in (
         select id from messages where business_id = $1 order by id desc limit 40) and id >= 10000000
         and coalesce(platform_message_id, '') = ''`,
      [random.between(0, 10)],
    ),
  (say, _, mark) =>
    say(
      `with next as (
         update realtime_counters set last_number = last_number + 1 where business_id = $1 returning last_number)
       insert into realtime_events (business_id, number, name, payload)
       select $1, last_number, 'test', jsonb_build_object('mark', $2::text) from next`,
      [mark],
    ),
  (say, random) =>
    say("update businesses set feature_flags = jsonb_set(feature_flags, '{n}', to_jsonb($2::int)) where id = $1", [
      random.between(1, 1_000),
    ]),
];

/** Like the service, writes to the cell that the directory names, and repeats writes that a move blocks. */
export class Traffic {
  readonly marks: string[] = [];
  accepted = 0;
  /** The longest duration of a write with its repetitions, in milliseconds. */
  longestMs = 0;
  private running: Promise<unknown> | undefined;
  private isOver = false;
  private readonly random: Random;

  constructor(
    private readonly stage: Stage,
    private readonly businessId: number,
    seed: number,
    /** The traffic stops when the business is in this cell. */
    private readonly until?: Cell,
  ) {
    this.random = new Random(seed);
  }

  start(writers = 3): this {
    this.running = Promise.all(Array.from({ length: writers }, (_, at) => this.write(at)));
    return this;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async write(writer: number): Promise<void> {
    for (let at = 0; !this.isOver; at += 1) {
      const mark = `${writer}-${at}`;
      const kind = this.random.pick(kinds);
      const begun = performance.now();
      while (!this.isOver) {
        const cell = await this.stage.cellOf(this.businessId);
        if (cell === this.until) return;
        if (await this.attempt(cell, kind, mark)) break;
        await sleep(5);
      }
      this.longestMs = Math.max(this.longestMs, performance.now() - begun);
      await sleep(this.random.between(0, 20));
    }
  }

  private async attempt(cell: Cell, kind: (typeof kinds)[number], mark: string): Promise<boolean> {
    const client = await this.stage.connect(cell);
    try {
      await client.query("begin");
      await kind(
        async (text, values = []) => void (await client.query(text, [this.businessId, ...values])),
        this.random,
        mark,
      );
      const { rows } = await client.query(
        "select 1 from realtime_events where business_id = $1 and payload->>'mark' = $2",
        [this.businessId, mark],
      );
      await client.query("commit");
      if (rows.length > 0) this.marks.push(mark);
      this.accepted += 1;
      return true;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      const { code } = error as { code?: string };
      // The write is repeated after a deadlock, and while a move blocks the business's writes (RC001). It is given up
      // if its row already exists or refers to a missing row.
      if (["RC001", "40P01", "23505", "23503"].includes(code ?? "")) return code !== "RC001" && code !== "40P01";
      throw error;
    } finally {
      client.release();
    }
  }
}
