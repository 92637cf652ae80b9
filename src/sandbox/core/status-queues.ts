import { readRecipients } from "../settings.ts";
import { flag, integer, optional, shape } from "./input.ts";
import { type ControlRoute, control } from "./route.ts";
import type { AcceptedMessage } from "./shared.ts";
import { normalBehaviour, StatusQueue, type StatusReporter } from "./status-queue.ts";
import type { Webhooks } from "./webhooks.ts";

const readBehaviour = shape({
  paused: optional(flag),
  shuffled: optional(flag),
  seed: optional(integer(0, 2 ** 32 - 1)),
  repeat: optional(integer(1, 10)),
  fail_numbers: optional(readRecipients),
  fail_code: optional(integer(1, 999_999_999)),
  mute: optional(readRecipients),
});

type Controllable = Pick<StatusQueue<AcceptedMessage>, "behave" | "counts" | "reset">;

/** Each channel has its own queue, so that an unavailable receiver blocks no other channel. */
export class StatusQueues {
  private readonly queues: Controllable[] = [];
  private behaviour = normalBehaviour;

  constructor(
    private readonly webhooks: Webhooks,
    private readonly delayMs: number,
    private readonly log: (line: string) => void,
  ) {}

  open<Message extends AcceptedMessage>(reporter: StatusReporter<Message>): StatusQueue<Message> {
    const queue = new StatusQueue(reporter, this.webhooks, this.delayMs, this.log);
    this.queues.push(queue);
    return queue;
  }

  control(): ControlRoute[] {
    return [
      control(
        "POST /__sandbox/webhooks",
        "how webhooks are delivered: {paused, shuffled, seed, repeat, fail_numbers, fail_code, mute: [recipients whose " +
          "messages get no statuses]}",
        (input) => this.change(input),
      ),
      control(
        "GET /__sandbox/webhooks",
        "that, with the statuses pending and dropped and the webhooks delivered and refused",
        () => this.view(),
      ),
    ];
  }

  reset(): void {
    this.behaviour = normalBehaviour;
    for (const queue of this.queues) {
      queue.reset();
      queue.behave(normalBehaviour);
    }
  }

  private change(input: unknown): object {
    const change = readBehaviour(input, "body");
    const before = this.behaviour;
    this.webhooks.repeat = change.repeat ?? this.webhooks.repeat;
    this.behaviour = {
      paused: change.paused ?? before.paused,
      shuffled: change.shuffled ?? before.shuffled,
      seed: change.seed ?? before.seed,
      failNumbers: change.fail_numbers ? new Set(change.fail_numbers) : before.failNumbers,
      failCode: change.fail_code ?? before.failCode,
      mute: change.mute ? new Set(change.mute) : before.mute,
    };
    for (const queue of this.queues) queue.behave(this.behaviour);
    return this.view();
  }

  private view(): object {
    const { paused, shuffled, seed, failNumbers, failCode, mute } = this.behaviour;
    const counts = this.queues.map((queue) => queue.counts());
    return {
      paused,
      shuffled,
      seed,
      repeat: this.webhooks.repeat,
      fail_numbers: [...failNumbers],
      fail_code: failCode,
      mute: [...mute],
      pending: counts.reduce((sum, { pending }) => sum + pending, 0),
      dropped: counts.reduce((sum, { dropped }) => sum + dropped, 0),
      ...this.webhooks.counts,
    };
  }
}
