import type { FileSource, Forgotten, KeepWebhooks, ProvenSender, ReadWebhook } from "../inbox/public.ts";
import type { FailureLimit } from "../infra/http/middleware/rate-limit.ts";
import type { Route } from "../infra/http/routing/route.ts";
import type { Fields } from "../infra/http-client/json.ts";
import type { ChannelName, ChatChannelName } from "../kernel/channels.ts";
import type { Channel, ClaimedSender, Sender, SenderPlatforms } from "../messaging/public.ts";
import type { FileSettings } from "./shared/files.ts";
import type { GraphSettings } from "./shared/graph.ts";

/**
 * All that one channel differs by: how it sends, what its platform proves and tells, where its customers' files are.
 * A new channel is a folder with one of these, its name in `kernel/channels.ts`, and its address in the configuration.
 */
export interface ChannelKind<Name extends ChannelName = ChannelName> {
  readonly name: Name;
  /** It is at the messaging platform's address. Others have an address of their own, under the channel's name. */
  readonly isOfPlatform: boolean;
  connect(settings: SendingSettings): Channel;
}

/** What a channel needs to send. */
export interface SendingSettings extends GraphSettings {
  readonly address: OwnAddress;
}

/** Where this service is reached from outside. */
export interface OwnAddress {
  /** Without a slash at the end. It is known once the service listens. */
  readonly root: string;
}

/** A channel that chats are on. */
export interface ChatChannelKind<Name extends ChatChannelName = ChatChannelName> extends ChannelKind<Name> {
  /** Asks the platform whether a sender is what a business says it is. */
  readonly claim: Claim;
  readonly receiving: Receiving;
}

/**
 * Reads from the channel's platform. Null for a refusal: the token does not open it, or it is not there. Rejects with
 * `NoAnswer` where nothing can be made of what came back, or nothing came.
 */
export type ReadPlatform = (path: string, headers: Readonly<Record<string, string>>) => Promise<Fields | null>;
export type Verdict = Awaited<ReturnType<SenderPlatforms["look"]>>;
export type Claim = (read: ReadPlatform, version: string, sender: ClaimedSender) => Promise<Verdict>;

/** What comes in from a channel's platform. */
export interface Receiving {
  routes(parts: ReceivingParts): readonly Route[];
  /** Reads what its routes kept. */
  readonly read: ReadWebhook;
  /** What was kept, without what concerns one customer; null where nothing of it may stay. */
  readonly without: (payload: string, forgotten: Forgotten) => string | null;
  files(settings: FileSettings): FileSource;
  /** Asks for the name of a customer that webhooks do not name; null where the platform gives none. Never rejects. */
  readonly nameOf?: (settings: GraphSettings, sender: Sender, customer: string) => Promise<string | null>;
}

/** What the routes of webhooks are made of. */
export interface ReceivingParts {
  /** Signs what the messaging platform delivers. */
  readonly appSecret: string;
  /** Proves, once, that the messaging platform was told of an address by its owner. */
  readonly verifyToken: string;
  readonly address: OwnAddress;
  readonly secrets: InstanceSecrets;
  readonly senderTokens: SenderTokens;
  readonly queue: Pick<KeepWebhooks, "keep">;
  /** @param name - for metrics: few and fixed */
  newFailureLimit(name: string): FailureLimit;
  /** Hears of each piece of news that is dropped unread. */
  onIgnored(channel: ChatChannelName): void;
  /** Hears of each delivery that is kept; returns at once. */
  onArrival(): void;
}

/** Makes the secrets of instances. */
export interface InstanceSecrets {
  instanceSecret(instance: { businessId: number; senderId: number; platformId: string }): string;
  instanceNameSecret(platformId: string): string;
}

/** For platforms that sign with a sender's own token. */
export interface SenderTokens {
  /**
   * Whose sender it is, with its token and its number; null where no business has it.
   *
   * @param network - who asks: networks take turns
   */
  find(channel: ChatChannelName, platformId: string, network: string): Promise<OwnedToken | null>;
}

export interface OwnedToken {
  readonly owner: NonNullable<ProvenSender["owner"]>;
  readonly token: string;
  /** Digits. */
  readonly phone: string;
}
