import type { FileSource, Forgotten, KeepIncoming, ProvenSender, ReadWebhook } from "../inbox/public.ts";
import type { FailureLimit } from "../infra/http/middleware/rate-limit.ts";
import type { Route } from "../infra/http/routing/route.ts";
import type { Fields } from "../infra/http-client/json.ts";
import type { ChannelName, ChatChannelName } from "../kernel/channels.ts";
import type { Channel, ClaimedSender, OwnedInstance, Sender, SenderPlatforms } from "../messaging/public.ts";
import type { FileSettings } from "./shared/files.ts";
import type { GraphSettings } from "./shared/graph.ts";

/**
 * The parts that differ by channel. Every channel sends messages. A `ChatChannelKind` also checks senders, and receives
 * webhooks and customers' files. `docs/extending.md` lists what else a new channel needs.
 */
export interface ChannelKind<Name extends ChannelName = ChannelName> {
  readonly name: Name;
  /** The channel uses the messaging platform's URL. Other channels have their own URL, configured under their names. */
  readonly isOfPlatform: boolean;
  connect(settings: SendingSettings): Channel;
}

export interface SendingSettings extends GraphSettings {
  readonly address: OwnAddress;
}

export interface OwnAddress {
  /** Has no trailing slash. Without `PUBLIC_URL` it is empty until the service listens, so do not read it earlier. */
  readonly root: string;
}

export interface ChatChannelKind<Name extends ChatChannelName = ChatChannelName> extends ChannelKind<Name> {
  /** Asks the platform whether a business's statements about a sender are true. */
  readonly checkSender: CheckSender;
  readonly receiving: Receiving;
}

/**
 * Reads from the channel's platform. Null for a refusal: the token is not valid for the object, or no such object
 * exists. Rejects with `NoAnswer` if the platform does not answer or answers with a temporary error.
 */
export type ReadPlatform = (path: string, headers: Readonly<Record<string, string>>) => Promise<Fields | null>;
export type Verdict = Awaited<ReturnType<SenderPlatforms["look"]>>;
export type CheckSender = (read: ReadPlatform, version: string, sender: ClaimedSender) => Promise<Verdict>;

export interface Receiving {
  routes(parts: ReceivingParts): readonly Route[];
  /** Reads payloads that the routes stored. */
  readonly read: ReadWebhook;
  /** Removes one customer's data from a stored payload; null if nothing remains. */
  readonly without: (payload: string, forgotten: Forgotten) => string | null;
  files(settings: FileSettings): FileSource;
  /** Asks for a customer's name that webhooks do not carry; null if the platform gives none. Never rejects. */
  readonly nameOf?: (settings: GraphSettings, sender: Sender, customer: string) => Promise<string | null>;
}

export interface ReceivingParts {
  /** The key of the signatures on the messaging platform's webhooks. */
  readonly appSecret: string;
  /** The secret of the platform's one-time verification of a webhook URL. */
  readonly verifyToken: string;
  readonly address: OwnAddress;
  readonly secrets: InstanceSecrets;
  readonly senderTokens: SenderTokens;
  readonly queue: Pick<KeepIncoming, "keep">;
  /** @param name - the limit's name in metrics: one of a few fixed names */
  newFailureLimit(name: string): FailureLimit;
  /** Called for each proven webhook that is dropped because no part of it is needed. */
  onIgnored(channel: ChatChannelName): void;
  /** Called for each proven webhook that cannot be understood. */
  onUnreadable(channel: ChatChannelName, error: Error): void;
  /** Called for each stored webhook; must return at once. */
  onArrival(): void;
}

/** Derives the secrets that webhooks of QR instances have in their `Authorization` header. */
export interface InstanceSecrets {
  instanceSecret(instance: OwnedInstance): string;
  instanceNameSecret(platformId: string): string;
}

/** Finds senders' tokens, for platforms that sign webhooks with a sender's own token. */
interface SenderTokens {
  /**
   * The owner, token and number of a sender; null if no business has this sender.
   *
   * @param network - the network of the request: networks take turns, so that one cannot block the others
   */
  find(channel: ChatChannelName, platformId: string, network: string): Promise<OwnedToken | null>;
}

interface OwnedToken {
  readonly owner: NonNullable<ProvenSender["owner"]>;
  readonly token: string;
  /** Digits. */
  readonly phone: string;
}

/** The platform did not answer, answered with a temporary error, or its answer cannot be read. */
export class NoAnswer extends Error {}

export const unconfirmed = (field: keyof ClaimedSender): Verdict => ({ unconfirmed: field });
