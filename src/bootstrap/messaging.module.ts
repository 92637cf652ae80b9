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
  type OnStoppedTemplate,
  PauseTemplate,
  ReadReceipts,
  SendMessage,
  SendTemplate,
  SendToChat,
  SettleExpired,
} from "../messaging/public.ts";
import { noteOn } from "./audit.ts";
import { moduleOf } from "./provide.ts";

/** Milliseconds for reading templates, one page and all pages: a user is waiting. */
const longestPageMs = 4_000;
const longestListMs = 10_000;
/** Milliseconds: enough for 16 MB at 0.5 MB per second. */
const longestUploadMs = 32_000;

export const messagingModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("platform", ["httpClient", "config", "sampleFiles"], (client, { messagingPlatform }, samples) => {
    const { url, version, connectTimeoutMs, timeoutMs } = messagingPlatform;
    return new CloudTemplates({
      client,
      baseUrl: url,
      version,
      samples,
      timeouts: {
        connectMs: connectTimeoutMs,
        pageMs: Math.min(timeoutMs, longestPageMs),
        listMs: Math.min(timeoutMs, longestListMs),
        uploadMs: longestUploadMs,
      },
    });
  });
  provide("senderCapacities", ["httpClient", "config"], (client, { messagingPlatform }) => {
    const { url, version, connectTimeoutMs, timeoutMs } = messagingPlatform;
    const timeouts = { connectMs: connectTimeoutMs, totalMs: Math.min(timeoutMs, longestPageMs) };
    return new CloudCapacities({ client, baseUrl: url, version, timeouts });
  });
  provide(
    "channels",
    ["httpClient", "config", "metrics", "publicAddress"],
    (client, { messagingPlatform, channels }, metrics, address) =>
      channelsOf({
        client,
        address,
        messagingPlatform,
        urls: channels,
        observe: (channel, outcome) => metrics.countMessage(channel, outcome),
      }),
  );
  provide("templateCache", ["platform", "log"], (platform, log) => {
    return new TemplateCache(platform, (error) =>
      log.warn({ err: error }, "the platform gave no answer about a template"),
    );
  });
  provide("mediaProbe", ["config"], ({ media }) => {
    return new HttpMediaProbe({ timeoutMs: media.timeoutMs, allowPrivate: media.allowPrivateUrls });
  });
  provideBackground("media probe", "means", ["mediaProbe"], (probe) => ({ stop: () => probe.close() }));
  provideBackground("messages under way", "work", ["sendMessage"], (send) => ({ stop: () => send.idle() }));
  provide(
    "senderDirectory",
    ["cells", "secrets", "config"],
    (cells, secrets, { channels }) => new PostgresSenders(cells, secrets, Boolean(channels[smsChannel])),
  );
  provide("giveSender", ["cells", "secrets"], (cells, secrets) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      senders: new PostgresSenders(oneCell(transaction), secrets, false),
      note: noteOn(transaction),
    }));
    return new GiveSender(unitOfWork);
  });
  provide("sendContexts", ["cells", "secrets"], (cells, secrets) => new PostgresSendContexts(cells, secrets));
  provide(
    "sendMessage",
    [
      ...(["outgoingMessages", "senderDirectory", "channels", "feed", "log"] as const),
      ...(["campaignQueue", "campaignAnnouncer", "nameDocuments"] as const),
    ],
    (messages, senders, channels, feed, log, queue, announcer, documents) => {
      const pauseTemplate = new PauseTemplate(queue, announcer);
      const onFailure = (error: unknown, messageId: number) =>
        log.error({ err: error, messageId }, "a message could not be sent, or its outcome not recorded");
      const onStopped: OnStoppedTemplate = (...stopped) => pauseTemplate.execute(...stopped);
      return new SendMessage(messages, senders, channels, feed, onFailure, onStopped, documents);
    },
  );
  provide(
    "readReceipts",
    ["senderDirectory", "channels", "log"],
    (senders, channels, log) =>
      new ReadReceipts(senders, channels, (error, businessId) =>
        log.warn({ err: error, businessId }, "a customer could not be told that a message was read"),
      ),
  );
  provideBackground("read receipts", "work", ["readReceipts"], (receipts) => ({ stop: () => receipts.idle() }));
  provide("settleExpired", ["outgoingMessages", "feed"], (...deps) => new SettleExpired(...deps));
  provideTick("messages.settle", 5, ["settleExpired"], (settleExpired, signal) => settleExpired.execute(signal));
  provide(
    "businessMessages",
    ["sendMessage", "senderDirectory", "sendContexts", "templateCache", "config"],
    (send, senders, contexts, known, { media }) =>
      new BusinessMessages(send, senders, contexts, known, media.baseUrl || null),
  );
  provide("routes", ["cells", "secrets", "platform"], (cells, secrets, platform) => {
    const catalog = new PostgresTemplateCatalog(cells, secrets);
    return [listTemplatesRoute(new ListTemplates(catalog, platform))];
  });
  provide(
    "routes",
    ["sendMessage", "sendContexts", "templateCache", "ownMediaProbe", "config"],
    (send, contexts, known, mediaProbe, { media }) => [
      sendTemplateRoute(new SendTemplate(send, contexts, known, mediaProbe, media.baseUrl || null)),
    ],
  );
  provide(
    "chatTemplates",
    ["sendContexts", "platform", "cells", "ownMediaProbe", "config"],
    (contexts, platform, cells, mediaProbe, { media }) =>
      new ChatTemplates(contexts, platform, new PostgresTemplateUsage(cells), mediaProbe, media.baseUrl || null),
  );
  provide("routes", ["sendMessage", "chatTemplates"], (send, templates) => [
    sendToChatRoute(new SendToChat(send, templates)),
  ]);
});
