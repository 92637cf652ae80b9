import { anything, integer, listOf, optional, phoneNumber, type Reader, shape, text } from "./core/input.ts";
import { readWebhookTarget, type WebhookTarget } from "./core/webhooks.ts";

export interface SandboxTemplate {
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category?: string | undefined;
  readonly components: readonly unknown[];
}

/** A number of a business at the platform. Numbers with the same `accountId` share their templates. */
export interface SandboxAccount {
  readonly token: string;
  readonly accountId: string;
  readonly phoneNumberId: string;
  readonly displayPhoneNumber: string;
  /** Sends above this rate are refused with 130429; unlimited when absent. */
  readonly messagesPerSecond?: number | undefined;
  readonly templates: readonly SandboxTemplate[];
}

export interface SandboxSettings {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Where webhooks go; without it there are none, delivery statuses included. */
  readonly webhook?: WebhookTarget | undefined;
  readonly accounts: readonly SandboxAccount[];
  /** Milliseconds from the acceptance of a message to its first delivery status, and from each to the next; 50. */
  readonly statusDelayMs?: number | undefined;
  /** How many accepted messages are remembered; 100,000. */
  readonly keepMessages?: number | undefined;
  /** Recipients that are refused with 131026. */
  readonly undeliverable?: readonly string[] | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

const readTemplate: Reader<SandboxTemplate> = shape<Required<SandboxTemplate>>({
  name: text(512),
  language: text(20),
  status: text(50),
  category: optional(text(50)),
  components: listOf(anything, 20),
});

export const readAccount: Reader<SandboxAccount> = shape<Required<SandboxAccount>>({
  token: text(1024),
  accountId: text(100),
  phoneNumberId: text(100),
  displayPhoneNumber: text(30),
  messagesPerSecond: optional(integer(1, 100_000)),
  templates: listOf(readTemplate, 6_000),
});

export const readNumbers: Reader<string[]> = listOf(phoneNumber, 100_000);

/** Settings as JSON; throws `BadInput` naming what is wrong. */
export const readSettings: Reader<SandboxSettings> = shape<Required<Omit<SandboxSettings, "log">>>({
  port: integer(0, 65_535),
  host: text(255),
  webhook: optional(readWebhookTarget),
  accounts: listOf(readAccount, 10_000),
  statusDelayMs: optional(integer(0, 3_600_000)),
  keepMessages: optional(integer(1, 1_000_000)),
  undeliverable: optional(readNumbers),
});
