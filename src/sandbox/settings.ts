import { pageChannel, photoChannel } from "../kernel/channels.ts";
import {
  anything,
  flag,
  integer,
  listOf,
  oneOf,
  optional,
  phoneNumber,
  type Reader,
  shape,
  text,
} from "./core/input.ts";
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

/** A page, or a photo-app account, with the people who can be written to at any time; others have to write first. */
export interface SandboxPage {
  readonly pageId: string;
  readonly token: string;
  /** The page's channel when absent. */
  readonly channel?: typeof pageChannel | typeof photoChannel | undefined;
  readonly people?: readonly string[] | undefined;
}

/** A phone paired with the QR provider. */
export interface SandboxQrInstance {
  readonly instance: string;
  readonly apiKey: string;
  /** `false`: the phone is off. */
  readonly connected?: boolean | undefined;
}

/** An account at ProviderB with the number that its messages leave from. */
export interface SandboxProviderB {
  readonly accountId: string;
  readonly token: string;
  readonly phone: string;
  readonly templates?: readonly SandboxProviderBTemplate[] | undefined;
}

export interface SandboxProviderBTemplate {
  readonly contentId: string;
  /** How many variables it has: "1", "2" and so on. */
  readonly variables: number;
}

export interface SandboxSettings {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Where webhooks go; without it there are none, delivery statuses included. */
  readonly webhook?: WebhookTarget | undefined;
  readonly accounts: readonly SandboxAccount[];
  readonly pages?: readonly SandboxPage[] | undefined;
  readonly qrInstances?: readonly SandboxQrInstance[] | undefined;
  readonly providerB?: readonly SandboxProviderB[] | undefined;
  /** Milliseconds from the acceptance of a message to its first delivery status, and from each to the next; 50. */
  readonly statusDelayMs?: number | undefined;
  /** How many accepted messages are remembered; 100,000. */
  readonly keepMessages?: number | undefined;
  /** Recipients that cannot be reached; the cloud channel refuses them with 131026. */
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

export const readPage: Reader<SandboxPage> = shape<Required<SandboxPage>>({
  pageId: text(100),
  token: text(1024),
  channel: optional(oneOf(pageChannel, photoChannel)),
  people: optional(listOf(text(100), 100_000)),
});

export const readQrInstance: Reader<SandboxQrInstance> = shape<Required<SandboxQrInstance>>({
  instance: text(100),
  apiKey: text(1024),
  connected: optional(flag),
});

export const readProviderB: Reader<SandboxProviderB> = shape<Required<SandboxProviderB>>({
  accountId: text(100),
  token: text(1024),
  phone: phoneNumber,
  templates: optional(
    listOf(shape<SandboxProviderBTemplate>({ contentId: text(100), variables: integer(0, 100) }), 6_000),
  ),
});

export const readNumbers: Reader<string[]> = listOf(phoneNumber, 100_000);

/** Settings as JSON; throws `BadInput` naming what is wrong. */
export const readSettings: Reader<SandboxSettings> = shape<Required<Omit<SandboxSettings, "log">>>({
  port: integer(0, 65_535),
  host: text(255),
  webhook: optional(readWebhookTarget),
  accounts: listOf(readAccount, 10_000),
  pages: optional(listOf(readPage, 10_000)),
  qrInstances: optional(listOf(readQrInstance, 10_000)),
  providerB: optional(listOf(readProviderB, 10_000)),
  statusDelayMs: optional(integer(0, 3_600_000)),
  keepMessages: optional(integer(1, 1_000_000)),
  undeliverable: optional(readNumbers),
});
