/** The parts of messaging that other features and the composition root may use. */

export { CampaignAnnouncer } from "./application/campaigns/campaign-announcer.ts";
export { DispatchCampaigns } from "./application/campaigns/dispatch-campaigns.ts";
export type { CampaignsStanding } from "./application/campaigns/operator-ports.ts";
export { pausingTemplates } from "./application/campaigns/pause-template.ts";
export type {
  CampaignInbox,
  CampaignMessage,
  CampaignNews,
  CampaignOrigin,
  CampaignQueue,
  Timing,
} from "./application/campaigns/ports.ts";
export { PreviewCampaign } from "./application/campaigns/preview-campaign.ts";
export { RecordCampaign } from "./application/campaigns/record-campaign.ts";
export { RegisterCampaign } from "./application/campaigns/register-campaign.ts";
export { SettleCampaigns } from "./application/campaigns/settle-campaigns.ts";
export { DeleteMedia } from "./application/media/delete-media.ts";
export type { MediaRegister, MediaStorage } from "./application/media/ports.ts";
export { ProbeMedia, ReadMedia } from "./application/media/read-media.ts";
export { ReadSample } from "./application/media/read-sample.ts";
export { removeWithdrawn } from "./application/media/remove-file.ts";
export { StoreMedia } from "./application/media/store-media.ts";
export { SweepMedia } from "./application/media/sweep-media.ts";
export {
  type BusinessMessageFailure,
  BusinessMessages,
  type Recipient,
  type SendText,
} from "./application/sends/business-messages.ts";
export { ChatTemplates, type PrepareTemplateFailure } from "./application/sends/chat-templates.ts";
export { GiveSender } from "./application/sends/give-sender.ts";
export { NameDocuments } from "./application/sends/name-documents.ts";
export type {
  Author,
  Channel,
  ChannelMessage,
  Channels,
  MediaProbe,
  NewMessage,
  OpenedMessage,
  OutgoingMessages,
  ReadMessage,
  SendContexts,
  Sender,
  SenderDirectory,
} from "./application/sends/ports.ts";
export { ReadReceipts } from "./application/sends/read-receipts.ts";
export { SendMessage } from "./application/sends/send-message.ts";
export { SendTemplate } from "./application/sends/send-template.ts";
export { SendToChat } from "./application/sends/send-to-chat.ts";
export type { ClaimedSender, OwnedInstance, SenderPlatforms } from "./application/sends/sender-platforms.ts";
export { SettleExpired } from "./application/sends/settle-expired.ts";
export { ListTemplates } from "./application/templates/list-templates.ts";
export type {
  CachedTemplates,
  MessagingPlatform,
  ReviewedTemplate,
  SampleFiles,
  SampleProblem,
  SenderCapacities,
  SenderCapacity,
  SubmitOutcome,
  TemplateApproval,
} from "./application/templates/ports.ts";
export { campaignMoves } from "./domain/campaign.ts";
export { MediaNotAccessible, NoSender, SendUncertain } from "./domain/failures.ts";
export {
  largestMedia,
  MediaEmpty,
  MediaNotFound,
  MediaQuotaReached,
  MediaTooLarge,
  MediaTypeRefused,
  sendableOn,
} from "./domain/media.ts";
export { kindOf, type MessageContent } from "./domain/message.ts";
export {
  approvalStates,
  type DeliveryStatus,
  type PlatformTemplate,
  PlatformUnavailable,
  type RefusalClass,
  type SendOutcome,
  settledStates,
  type TemplateNews,
  templateStateOf,
} from "./domain/platform.ts";
export { mediaKindOf, storedMedia } from "./domain/template.ts";
