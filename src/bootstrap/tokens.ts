import type { SetOperatorFlag } from "../administration/public.ts";
import type { AdCredentialStore, AdCredentials, AdPlatform, GiveAdAccess, ReportedAds } from "../ads/public.ts";
import type { ReceivingParts } from "../channels/channel.ts";
import type {
  ActingStores,
  ActOnChats,
  Aftermath,
  AnswerChat,
  ApplyEarlyStatuses,
  AssignWaitingChats,
  AssignWaitingTickets,
  Availability,
  CreateTicket,
  EraseContact,
  FetchFiles,
  FileQueue,
  FileSources,
  GiveOutSoon,
  HandOverChats,
  IncomingQueue,
  IncomingUnitOfWork,
  KeepIncoming,
  MediaStore,
  NameContacts,
  WorkOffIncoming,
} from "../inbox/public.ts";
import type { Passwords } from "../infra/crypto/passwords.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import type { FailureLimit, LimitRate } from "../infra/http/middleware/rate-limit.ts";
import type { PublicAddress } from "../infra/http/public-address.ts";
import type { Authenticators } from "../infra/http/routing/caller.ts";
import type { Lanes } from "../infra/http/routing/lanes.ts";
import type { Route } from "../infra/http/routing/route.ts";
import type { Downloads } from "../infra/http-client/downloads.ts";
import type { HttpClient } from "../infra/http-client/http-client.ts";
import type { Background } from "../infra/jobs/background.ts";
import type { Tick } from "../infra/jobs/tick.ts";
import type { Admission } from "../infra/postgres/cells/multiple-queues.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Database } from "../infra/postgres/database.ts";
import type { Directory } from "../infra/postgres/directory/directory.ts";
import type { PostgresEventLog } from "../infra/postgres/event-log.ts";
import type { PostgresIdempotencyStore } from "../infra/postgres/idempotency-store.ts";
import type { Announcements } from "../infra/postgres/notifications.ts";
import type { RealtimeGateway } from "../infra/realtime/gateway.ts";
import type { RealtimePublisher } from "../infra/realtime/peers.ts";
import type { Metrics } from "../infra/telemetry/metrics.ts";
import type { Thread } from "../infra/threads/thread.ts";
import type { EventFeed } from "../kernel/events.ts";
import type { FairQueue } from "../kernel/fair-queue.ts";
import type { Log } from "../kernel/log.ts";
import type { NudgedLoop } from "../kernel/nudged-loop.ts";
import type { UnitOfWork } from "../kernel/unit-of-work.ts";
import type { HttpMediaProbe } from "../messaging/adapters/http-client/media-probe.ts";
import type {
  BusinessMessages,
  CachedTemplates,
  CampaignAnnouncer,
  CampaignQueue,
  Channels,
  ChatTemplates,
  DeleteMedia,
  DispatchCampaigns,
  GiveSender,
  MediaProbe,
  MediaRegister,
  MediaStorage,
  MessagingPlatform,
  NameDocuments,
  OutgoingMessages,
  OwnedInstance,
  ReadMedia,
  ReadReceipts,
  RecordCampaign,
  SampleFiles,
  SendContexts,
  SenderCapacities,
  SenderDirectory,
  SenderPlatforms,
  SendMessage,
  SettleCampaigns,
  SettleExpired,
  StoreMedia,
  TemplateApproval,
} from "../messaging/public.ts";
import type { PusherHost } from "../orders/adapters/pusher/pusher-host.ts";
import type { CancelInactive, DeliveryPricing, DriverTracking, OrdersOfChat, PushOutbox } from "../orders/public.ts";
import type { FoldReports, ReportPage, SharedReport } from "../reports/public.ts";
import type { CachedAppKeys, CachedSessions } from "../tenancy/adapters/memory/cached-access.ts";
import type { PostgresSessions } from "../tenancy/adapters/postgres/sessions.ts";
import type {
  AppKeys,
  CreateBusiness,
  IssueAppKey,
  IssueSession,
  KeyOwners,
  OpenSession,
  RevokeAppKeys,
  SignInAttempts,
} from "../tenancy/public.ts";
import type { HttpWebhookSender } from "../webhooks/adapters/http-client/webhook-sender.ts";
import type { DeliverWebhooks, DeliveryQueue, DeliveryUpkeep } from "../webhooks/public.ts";
import type { Config } from "./config.ts";
import type { OpenedCells } from "./opened-cell.ts";

/** A service identifier with the service's type. */
export type Token<Service> = symbol & { readonly __service?: Service };

const token = <Service>(name: string): Token<Service> => Symbol(name);

export const tokens = {
  config: token<Config>("config"),
  log: token<Log>("log"),
  metrics: token<Metrics>("metrics"),
  secrets: token<Secrets>("secrets"),
  passwords: token<Passwords>("passwords"),
  /** The first cell's database, only for the demo and for tests. Everything else uses `cells`. */
  database: token<Database>("database"),
  cells: token<Cells<Cell>>("cells"),
  /** `c1`, the cell of `DATABASE_URL`, is the first. */
  openedCells: token<OpenedCells>("openedCells"),
  /** Only used with several cells. */
  directory: token<Directory>("directory"),
  /** For slow work such as reports, exports and sweeps, with a longer statement timeout. */
  slowCells: token<Cells<Cell>>("slowCells"),
  /** Tells whether the databases are too busy for a request. */
  databaseGate: token<Admission>("databaseGate"),
  lanes: token<Lanes>("lanes"),
  eventLog: token<PostgresEventLog>("eventLog"),
  notifications: token<Announcements>("notifications"),
  gateway: token<RealtimeGateway>("gateway"),
  publisher: token<RealtimePublisher>("publisher"),
  feed: token<EventFeed>("feed"),
  idempotency: token<PostgresIdempotencyStore>("idempotency"),
  httpClient: token<HttpClient>("httpClient"),
  publicAddress: token<PublicAddress>("publicAddress"),
  /** Has several values: the parts that a process starts and stops. */
  background: token<Background>("background"),
  /** Has several values: repeated work. */
  tick: token<Tick>("tick"),
  /** Has several values: the routes of each module. */
  routes: token<readonly Route[]>("routes"),

  appKeyStore: token<KeyOwners & AppKeys>("appKeyStore"),
  sessions: token<PostgresSessions>("sessions"),
  knownKeys: token<CachedAppKeys>("knownKeys"),
  knownSessions: token<CachedSessions>("knownSessions"),
  /** Makes a limit for one kind of failure. */
  newFailureLimit: token<(name: string) => FailureLimit>("newFailureLimit"),
  limitRate: token<LimitRate>("limitRate"),
  /** The gate in which networks take turns to look up credentials and sender tokens in the database. */
  lookUps: token<FairQueue>("lookUps"),
  authenticators: token<Authenticators>("authenticators"),
  openSession: token<OpenSession>("openSession"),
  issueSession: token<IssueSession>("issueSession"),
  signInAttempts: token<SignInAttempts>("signInAttempts"),
  createBusiness: token<CreateBusiness>("createBusiness"),
  issueAppKey: token<IssueAppKey>("issueAppKey"),
  revokeAppKeys: token<RevokeAppKeys>("revokeAppKeys"),

  /** For stored webhooks of all cells. */
  incomingUpkeep: token<Pick<IncomingQueue, "counts" | "retryGivenUp" | "purge">>("incomingUpkeep"),
  keepIncoming: token<Pick<KeepIncoming, "keep">>("keepIncoming"),
  /** One per cell. */
  workOffIncoming: token<readonly WorkOffIncoming[]>("workOffIncoming"),
  incomingLoop: token<Pick<NudgedLoop, "nudge" | "stop">>("incomingLoop"),
  incomingUnitOfWork: token<IncomingUnitOfWork>("incomingUnitOfWork"),
  aftermath: token<Aftermath>("aftermath"),
  applyEarlyStatuses: token<Pick<ApplyEarlyStatuses, "execute" | "purge">>("applyEarlyStatuses"),
  earlyLoop: token<NudgedLoop>("earlyLoop"),
  receivingParts: token<ReceivingParts>("receivingParts"),
  instanceWebhook:
    token<(instance: OwnedInstance) => { readonly url: string; readonly secret: string }>("instanceWebhook"),
  senderPlatforms: token<SenderPlatforms>("senderPlatforms"),
  createTicket: token<CreateTicket>("createTicket"),
  nameContacts: token<NameContacts>("nameContacts"),
  eraseContact: token<EraseContact>("eraseContact"),
  assignWaitingTickets: token<AssignWaitingTickets>("assignWaitingTickets"),
  handOverChats: token<HandOverChats>("handOverChats"),
  assignWaitingChats: token<AssignWaitingChats>("assignWaitingChats"),
  actingUnitOfWork: token<UnitOfWork<ActingStores>>("actingUnitOfWork"),
  actOnChats: token<ActOnChats>("actOnChats"),
  answerChat: token<AnswerChat>("answerChat"),
  availability: token<Availability>("availability"),
  giveOutSoon: token<GiveOutSoon>("giveOutSoon"),
  readReceipts: token<ReadReceipts>("readReceipts"),
  ordersOfChat: token<OrdersOfChat>("ordersOfChat"),

  platform: token<MessagingPlatform & TemplateApproval>("platform"),
  senderCapacities: token<SenderCapacities>("senderCapacities"),
  templateCache: token<CachedTemplates>("templateCache"),
  mediaProbe: token<HttpMediaProbe>("mediaProbe"),
  /** For `media_url`: finds our own files without a request. */
  ownMediaProbe: token<MediaProbe>("ownMediaProbe"),
  /** Null if none is configured. */
  mediaStorage: token<MediaStorage | null>("mediaStorage"),
  mediaFiles: token<MediaRegister>("mediaFiles"),
  readMedia: token<ReadMedia>("readMedia"),
  nameDocuments: token<NameDocuments>("nameDocuments"),
  sampleFiles: token<SampleFiles>("sampleFiles"),
  storeMedia: token<StoreMedia>("storeMedia"),
  deleteMedia: token<DeleteMedia>("deleteMedia"),
  /** Null if files cannot be stored. */
  mediaStore: token<MediaStore | null>("mediaStore"),
  downloads: token<Downloads>("downloads"),
  fileQueue: token<FileQueue>("fileQueue"),
  fileSources: token<FileSources>("fileSources"),
  fetchFiles: token<FetchFiles>("fetchFiles"),
  senderDirectory: token<SenderDirectory>("senderDirectory"),
  setOperatorFlag: token<SetOperatorFlag>("setOperatorFlag"),
  giveSender: token<GiveSender>("giveSender"),
  channels: token<Channels>("channels"),
  campaignQueue: token<CampaignQueue>("campaignQueue"),
  campaignAnnouncer: token<CampaignAnnouncer>("campaignAnnouncer"),
  recordCampaign: token<RecordCampaign>("recordCampaign"),
  settleCampaigns: token<SettleCampaigns>("settleCampaigns"),
  dispatchCampaigns: token<DispatchCampaigns>("dispatchCampaigns"),
  /** Implemented by the inbox. */
  outgoingMessages: token<OutgoingMessages>("outgoingMessages"),
  chatTemplates: token<ChatTemplates>("chatTemplates"),
  sendContexts: token<SendContexts>("sendContexts"),
  sendMessage: token<SendMessage>("sendMessage"),
  settleExpired: token<SettleExpired>("settleExpired"),
  businessMessages: token<BusinessMessages>("businessMessages"),

  /** Null if none is configured. */
  deliveryPricing: token<DeliveryPricing | null>("deliveryPricing"),
  priceLoop: token<NudgedLoop>("priceLoop"),
  driverTracking: token<DriverTracking>("driverTracking"),
  /** Null if none is configured. */
  pusherHost: token<PusherHost | null>("pusherHost"),
  pushOutbox: token<PushOutbox>("pushOutbox"),
  pushLoop: token<NudgedLoop>("pushLoop"),
  adPlatform: token<AdPlatform>("adPlatform"),
  adCredentials: token<AdCredentials & AdCredentialStore>("adCredentials"),
  giveAdAccess: token<GiveAdAccess>("giveAdAccess"),
  reportedAds: token<ReportedAds>("reportedAds"),
  cancelInactive: token<CancelInactive>("cancelInactive"),
  sharedReports: token<SharedReport>("sharedReports"),
  foldReports: token<FoldReports>("foldReports"),
  deliveryQueue: token<DeliveryQueue>("deliveryQueue"),
  deliveryUpkeep: token<DeliveryUpkeep>("deliveryUpkeep"),
  webhookSender: token<HttpWebhookSender>("webhookSender"),
  deliverWebhooks: token<DeliverWebhooks>("deliverWebhooks"),
  deliveryLoop: token<NudgedLoop>("deliveryLoop"),
  pageThread: token<Thread<ReportPage, string>>("pageThread"),
};
