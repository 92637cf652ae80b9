import { channelsOf } from "../channels/channels.ts";
import { CloudCapacities } from "../channels/cloud/capacity.ts";
import { CloudTemplates } from "../channels/cloud/templates.ts";
import { oneCell } from "../infra/postgres/cells.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { smsChannel } from "../kernel/channels.ts";
import { sendTemplateRoute } from "../messaging/adapters/http/sends/send-template.route.ts";
import { sendToChatRoute } from "../messaging/adapters/http/sends/send-to-chat.route.ts";
import { listTemplatesRoute } from "../messaging/adapters/http/templates/list-templates.route.ts";
import { HttpMediaProbe } from "../messaging/adapters/http-client/media-probe.ts";
import { TemplateCache } from "../messaging/adapters/memory/template-cache.ts";
import { PostgresSendContexts } from "../messaging/adapters/postgres/sends/send-contexts.ts";
import { PostgresSenders } from "../messaging/adapters/postgres/sends/senders.ts";
import { PostgresTemplateUsage } from "../messaging/adapters/postgres/sends/template-usage.ts";
import { PostgresTemplateCatalog } from "../messaging/adapters/postgres/templates/template-catalog.ts";
import {
  BusinessMessages,
  ChatTemplates,
  GiveSender,
  ListTemplates,
  pausingTemplates,
  ReadReceipts,
  SendMessage,
  SendTemplate,
  SendToChat,
  SettleExpired,
} from "../messaging/public.ts";
import { noteOn } from "./audit.ts";
import { moduleOf } from "./provide.ts";

/** Milliseconds for reading one page of templates, and for all pages. The times are short because a user is waiting. */
const longestPageMs = 4_000;
const longestListMs = 10_000;
/** Milliseconds for an upload: enough for 16 MB at 0.5 MB per second. */
const longestUploadMs = 32_000;

export const messagingModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("platform", ({ httpClient, config: { messagingPlatform }, sampleFiles }) => {
    const { url, version, connectTimeoutMs, timeoutMs } = messagingPlatform;
    return new CloudTemplates({
      client: httpClient,
      baseUrl: url,
      version,
      samples: sampleFiles,
      timeouts: {
        connectMs: connectTimeoutMs,
        pageMs: Math.min(timeoutMs, longestPageMs),
        listMs: Math.min(timeoutMs, longestListMs),
        uploadMs: longestUploadMs,
      },
    });
  });
  provide("senderCapacities", ({ httpClient, config: { messagingPlatform } }) => {
    const { url, version, connectTimeoutMs, timeoutMs } = messagingPlatform;
    const timeouts = { connectMs: connectTimeoutMs, totalMs: Math.min(timeoutMs, longestPageMs) };
    return new CloudCapacities({ client: httpClient, baseUrl: url, version, timeouts });
  });
  provide("channels", ({ httpClient, config: { messagingPlatform, channels }, metrics, publicAddress }) =>
    channelsOf({
      client: httpClient,
      address: publicAddress,
      messagingPlatform,
      urls: channels,
      observe: (channel, outcome) => metrics.countMessage(channel, outcome),
    }),
  );
  provide("templateCache", ({ platform, log }) => {
    return new TemplateCache(platform, (error) =>
      log.warn({ err: error }, "the platform gave no answer about a template"),
    );
  });
  provide("mediaProbe", ({ config: { media } }) => {
    return new HttpMediaProbe({ timeoutMs: media.timeoutMs, allowPrivate: media.allowPrivateUrls });
  });
  provideBackground("media probe", "means", ({ mediaProbe }) => ({ stop: () => mediaProbe.close() }));
  provideBackground("messages under way", "work", ({ sendMessage }) => ({ stop: () => sendMessage.idle() }));
  provide(
    "senderDirectory",
    ({ cells, secrets, config: { channels } }) => new PostgresSenders(cells, secrets, Boolean(channels[smsChannel])),
  );
  provide("giveSender", ({ cells, secrets }) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      senders: new PostgresSenders(oneCell(transaction), secrets, false),
      note: noteOn(transaction),
    }));
    return new GiveSender(unitOfWork);
  });
  provide("sendContexts", ({ cells, secrets }) => new PostgresSendContexts(cells, secrets));
  provide("sendMessage", (services) => {
    const onFailure = (error: unknown, messageId: number) =>
      services.log.error({ err: error, messageId }, "a message could not be sent, or its outcome not recorded");
    const onStopped = pausingTemplates(services.campaignQueue, services.campaignAnnouncer);
    const { outgoingMessages, senderDirectory, channels, feed, nameDocuments } = services;
    return new SendMessage(outgoingMessages, senderDirectory, channels, feed, onFailure, onStopped, nameDocuments);
  });
  provide(
    "readReceipts",
    ({ senderDirectory, channels, log }) =>
      new ReadReceipts(senderDirectory, channels, (error, businessId) =>
        log.warn({ err: error, businessId }, "a customer could not be told that a message was read"),
      ),
  );
  provideBackground("read receipts", "work", ({ readReceipts }) => ({ stop: () => readReceipts.idle() }));
  provide("settleExpired", ({ outgoingMessages, feed }) => new SettleExpired(outgoingMessages, feed));
  provideTick("messages.settle", 5, ({ settleExpired }, signal) => settleExpired.execute(signal));
  provide(
    "businessMessages",
    ({ sendMessage, senderDirectory, sendContexts, templateCache, config: { media } }) =>
      new BusinessMessages(sendMessage, senderDirectory, sendContexts, templateCache, media.baseUrl || null),
  );
  provide("routes", ({ cells, secrets, platform }) => {
    const catalog = new PostgresTemplateCatalog(cells, secrets);
    return [listTemplatesRoute(new ListTemplates(catalog, platform))];
  });
  provide("routes", ({ sendMessage, sendContexts, templateCache, ownMediaProbe, config: { media } }) => [
    sendTemplateRoute(new SendTemplate(sendMessage, sendContexts, templateCache, ownMediaProbe, media.baseUrl || null)),
  ]);
  provide(
    "chatTemplates",
    ({ sendContexts, platform, cells, ownMediaProbe, config: { media } }) =>
      new ChatTemplates(sendContexts, platform, new PostgresTemplateUsage(cells), ownMediaProbe, media.baseUrl || null),
  );
  provide("routes", ({ sendMessage, chatTemplates }) => [sendToChatRoute(new SendToChat(sendMessage, chatTemplates))]);
});
