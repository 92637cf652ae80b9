import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { usualBounds } from "../../src/infra/postgres/moving/move-bounds.ts";
import type { Random } from "../../src/sandbox/core/random.ts";
import { fill } from "../moving/businesses.ts";
import { type Cell, openStage, type Stage } from "../moving/stage.ts";
import { Traffic } from "../moving/traffic.ts";
import { programArguments } from "../support/program.ts";
import type { Outcome } from "./scenario.ts";

export interface MoveSize {
  readonly chats: number;
  readonly messagesEach: number;
  readonly kills: number;
  /** Each kill comes at a random moment, at most this many milliseconds after the mover's first output. */
  readonly killWithinMs: number;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const businessId = 1;
/** The longest time that a write may wait, in milliseconds. */
const mostHeldMs = 5_000;
/** How many moves in a row may fail. A move may fail because the lock of a killed move is still held. */
const mostFailures = 5;

/** Adds many chats to business 1, which `fill` created. */
async function grow(stage: Stage, { chats, messagesEach }: MoveSize): Promise<void> {
  const first = 1_000_000;
  for (const text of [
    `insert into contacts (business_id, id, name, phone, platform_id)
     select 1, n, 'Cliente ' || n, (59100000000 + n)::text, (59100000000 + n)::text
     from generate_series(${first} + 1, ${first + chats}) as n`,
    `insert into chats (business_id, id, contact_id, provider, last_message_at)
     select 1, n, n, 'platform-apicloud', now() from generate_series(${first} + 1, ${first + chats}) as n`,
    `insert into conversations (business_id, id, chat_id, state)
     select 1, n, n, 'bot' from generate_series(${first} + 1, ${first + chats}) as n`,
    `insert into messages (business_id, id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
       platform_message_id)
     select 1, ${first} + n, ${first} + 1 + (n - 1) % ${chats}, ${first} + 1 + (n - 1) % ${chats}, 'in', 'text',
       'Hola, ¿tienen la talla 38 del modelo ' || n || '? Gracias.', 'contact', 'Carla', 'received', 'wamid.' || n
     from generate_series(1, ${chats * messagesEach}) as n`,
    "select setval('messages_id_seq', 100000000)",
    "analyze",
  ]) {
    await stage.rows("c1", text);
  }
}

/** The operator's command that moves a business, in a process of its own. */
class Command {
  readonly said: string[] = [];
  readonly begun: Promise<unknown>;
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(stage: Stage, to: Cell) {
    this.child = spawn(process.execPath, programArguments("src/cli/move-business.ts"), {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        DATABASE_URL: stage.places.c1,
        CELLS: JSON.stringify({ c2: { url: stage.places.c2 } }),
        BUSINESS: String(businessId),
        TO: to,
      },
    });
    this.ended = once(this.child, "exit");
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => this.said.push(line));
    this.begun = Promise.race([once(lines, "line"), this.ended]);
  }

  get hasFailed(): boolean {
    return this.child.exitCode !== null && this.child.exitCode !== 0;
  }

  /** Returns whether the command ended before it was killed. */
  async killAfter(ms: number): Promise<boolean> {
    const cancelled = new AbortController();
    await Promise.race([this.ended, sleep(ms, undefined, { signal: cancelled.signal }).catch(() => {})]);
    cancelled.abort();
    const hasEnded = this.child.exitCode !== null;
    if (!hasEnded) this.child.kill("SIGKILL");
    await this.ended;
    return hasEnded;
  }

  async end(): Promise<void> {
    await this.ended;
    if (this.hasFailed) throw new Error(`the move failed: ${this.said.join("\n")}`);
  }
}

/**
 * Moves a business back and forth under load, with random kills of the mover. Counts acknowledged writes that are lost
 * or duplicated, and measures how long writes are blocked.
 */
export async function moveUnderKills(stage: Stage, random: Random, size: MoveSize): Promise<Outcome> {
  await fill(stage, [businessId, 2], 60);
  await grow(stage, size);
  const traffic = new Traffic(stage, businessId, random.between(1, 1_000)).start();
  const heldMs: number[] = [];
  let to: Cell = "c2";
  let kills = 0;
  let moves = 0;
  let failures = 0;
  const begun = performance.now();
  const note = ({ said }: Command): void => {
    const held = /blocked for ([\d.]+) s/.exec(said.join("\n"))?.[1];
    if (held) heldMs.push(Number(held) * 1_000);
  };
  for (;;) {
    const command = new Command(stage, to);
    await command.begun;
    if (kills === size.kills) {
      await command.end();
      note(command);
      break;
    }
    const hasEnded = await command.killAfter(random.between(0, size.killWithinMs));
    if (hasEnded) note(command);
    else kills += 1;
    failures = command.hasFailed ? failures + 1 : 0;
    if (failures > mostFailures) await command.end();
    if ((await stage.cellOf(businessId)) === to && hasEnded) {
      moves += 1;
      to = to === "c2" ? "c1" : "c2";
    }
  }
  moves += 1;
  await traffic.stop();
  const seconds = (performance.now() - begun) / 1_000;
  const cell = await stage.cellOf(businessId);
  const found = (
    await stage.rows<{ mark: string }>(
      cell,
      "select payload->>'mark' as mark from realtime_events where business_id = 1 and name = 'test'",
    )
  ).map(({ mark }) => mark);
  const there = new Set(found);
  const lost = traffic.marks.filter((mark) => !there.has(mark)).length;
  const twice = found.length - there.size;
  const messages = size.chats * size.messagesEach;
  const [kept] = await stage.rows<{ chats: number; messages: number }>(
    cell,
    `select (select count(*)::int from chats where business_id = 1 and id > 1000000) as chats,
       (select count(*)::int from messages where business_id = 1 and platform_message_id like 'wamid.%'
          and id between 1000001 and ${1_000_000 + messages}) as messages`,
  );
  const violations = [
    ...(lost > 0 ? [`${lost} acknowledged writes are lost`] : []),
    ...(twice > 0 ? [`${twice} writes are there twice`] : []),
    ...(traffic.longestMs > mostHeldMs ? [`a write waited for ${Math.round(traffic.longestMs)} ms`] : []),
    ...(kept?.chats !== size.chats ? [`${kept?.chats} of ${size.chats} chats are there`] : []),
    ...(kept?.messages !== messages ? [`${kept?.messages} of ${messages} messages are there`] : []),
  ];
  return {
    figures: {
      chats: size.chats,
      messages: kept?.messages ?? 0,
      kills,
      moves,
      writes: traffic.accepted,
      lost,
      twice,
      "longest wait (ms)": Math.round(traffic.longestMs),
      "longest hold (ms)": Math.max(0, ...heldMs),
      seconds: Math.round(seconds),
    },
    violations,
  };
}

export const openMoveStage = (): Promise<Stage> => openStage(usualBounds);
