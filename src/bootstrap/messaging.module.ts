import { ContainerModule } from "inversify";
import type { MessageUnderWay, OutgoingMessages } from "../inbox/application/ports.ts";
import { type ChannelName, cloudChannel } from "../kernel/channels.ts";
import type { EventFeed } from "../kernel/events.ts";
import type { Log } from "../kernel/log.ts";
import { sendTemplateRoute } from "../messaging/adapters/http/sends/send-template.route.ts";
import { sendToChatRoute } from "../messaging/adapters/http/sends/send-to-chat.route.ts";
import { listTemplatesRoute } from "../messaging/adapters/http/templates/list-templates.route.ts";
import { channelsOf } from "../messaging/adapters/http-client/channels.ts";
import { CloudApi } from "../messaging/adapters/http-client/cloud-api.ts";
import { HttpMediaProbe } from "../messaging/adapters/http-client/media-probe.ts";
import { RememberedTemplates } from "../messaging/adapters/memory/remembered-templates.ts";
import { PostgresChatSends } from "../messaging/adapters/postgres/sends/chat-sends.ts";
import { PostgresSenders } from "../messaging/adapters/postgres/sends/senders.ts";
import { PostgresTemplateUsage } from "../messaging/adapters/postgres/sends/template-usage.ts";
import { PostgresTemplateCatalog } from "../messaging/adapters/postgres/templates/template-catalog.ts";
import type { Outbox } from "../messaging/application/ports.ts";
import { SendTemplate } from "../messaging/application/sends/send-template.ts";
import { SendToChat } from "../messaging/application/sends/send-to-chat.ts";
import { ListTemplates } from "../messaging/application/templates/list-templates.ts";
import { SendRefused } from "../messaging/domain/failures.ts";
import type { SendOutcome } from "../messaging/domain/platform.ts";
import { provide } from "./provide.ts";
import { settlementOf } from "./text-sender.ts";
import { tokens } from "./tokens.ts";

/** Milliseconds that reading templates may take, one page and all together: somebody waits for it. */
const longestPageMs = 4_000;
const longestListMs = 10_000;

export const messagingModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.platform, [tokens.httpClient, tokens.config], (client, { messagingPlatform }) => {
    const { url, version, connectTimeoutMs, timeoutMs } = messagingPlatform;
    return new CloudApi({
      client,
      baseUrl: url,
      version,
      timeouts: {
        connectMs: connectTimeoutMs,
        sendMs: timeoutMs,
        pageMs: Math.min(timeoutMs, longestPageMs),
        listMs: Math.min(timeoutMs, longestListMs),
      },
    });
  });
  provide(bind, tokens.channels, [tokens.httpClient, tokens.config], (client, { messagingPlatform, channels }) => {
    return channelsOf({ client, messagingPlatform, ...channels });
  });
  provide(bind, tokens.knownTemplates, [tokens.platform, tokens.log], (platform, log) => {
    return new RememberedTemplates(platform, (error) =>
      log.warn({ err: error }, "the platform did not tell what it knows of a template"),
    );
  });
  provide(bind, tokens.mediaProbe, [tokens.config], ({ media }) => {
    return new HttpMediaProbe({ timeoutMs: media.timeoutMs, allowPrivate: media.allowPrivateUrls });
  });
  provide(bind, tokens.senderDirectory, [tokens.database, tokens.secrets], (database, secrets) => {
    return new PostgresSenders(
      database,
      (sealed, businessId) => secrets.open(sealed, businessId),
      (token, businessId) => secrets.seal(token, businessId),
    );
  });
  provide(bind, tokens.templateCatalog, [tokens.database, tokens.secrets], (database, secrets) => {
    return new PostgresTemplateCatalog(database, (sealed, businessId) => secrets.open(sealed, businessId));
  });
  provide(bind, tokens.outbox, [tokens.outgoingMessages, tokens.feed, tokens.metrics], (messages, feed, metrics) =>
    outboxOf(messages, feed, (channel, outcome) => metrics.countMessages(channel, outcome)),
  );
  provide(
    bind,
    tokens.listTemplates,
    [tokens.templateCatalog, tokens.platform],
    (...deps) => new ListTemplates(...deps),
  );
  provide(
    bind,
    tokens.sendTemplate,
    [
      tokens.templateCatalog,
      tokens.platform,
      tokens.knownTemplates,
      tokens.ownMediaProbe,
      tokens.outbox,
      tokens.config,
      tokens.log,
    ],
    (catalog, platform, known, mediaProbe, outbox, { media }, log) =>
      new SendTemplate(catalog, platform, known, mediaProbe, outbox, media.baseUrl || null, unwritten(log)),
  );
  provide(
    bind,
    tokens.sendToChat,
    [tokens.database, tokens.secrets, tokens.platform, tokens.channels, tokens.outbox, tokens.config, tokens.log],
    (database, secrets, platform, channels, outbox, { media }, log) =>
      new SendToChat(
        new PostgresChatSends(database, (sealed, businessId) => secrets.open(sealed, businessId)),
        platform,
        channels,
        new PostgresTemplateUsage(database),
        outbox,
        media.baseUrl || null,
        unwritten(log),
      ),
  );
  provide(
    bind,
    tokens.routes,
    [tokens.listTemplates, tokens.sendTemplate, tokens.sendToChat],
    (listTemplates, sendTemplate, sendToChat) => [
      listTemplatesRoute(listTemplates),
      sendTemplateRoute(sendTemplate),
      sendToChatRoute(sendToChat),
    ],
  );
});

const unwritten = (log: Log) => (error: unknown) =>
  log.error({ err: error }, "what came of a message could not be written down");

/** Binds what sending needs of the inbox to the inbox. */
function outboxOf(
  messages: OutgoingMessages,
  feed: EventFeed,
  observe: (channel: ChannelName, outcome: string) => void,
): Outbox {
  const entryOf = (underWay: MessageUnderWay, channel: ChannelName) => ({
    reference: underWay.reference,
    settle: async (outcome: SendOutcome) => {
      feed.publish(await messages.settle(underWay, settlementOf(outcome)));
      observe(channel, outcome.kind);
    },
  });
  return {
    open: async (message) =>
      entryOf(await messages.open({ ...message, provider: cloudChannel, kind: "template" }), cloudChannel),
    openInChat: async (message) => {
      const underWay = await messages.openInChat({ ...message, kind: "template", takesConversation: true });
      if (!underWay) throw new SendRefused(`chat ${message.chatId} of business ${message.businessId}`);
      return entryOf(underWay, message.channel);
    },
  };
}
