import { ContainerModule } from "inversify";
import { channelsOf } from "../channels/channels.ts";
import { CloudCapacities } from "../channels/cloud/capacity.ts";
import { CloudTemplates } from "../channels/cloud/templates.ts";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
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
  PauseTemplate,
  ReadReceipts,
  SendMessage,
  SendTemplate,
  SendToChat,
  SettleExpired,
} from "../messaging/public.ts";
import { noteOn } from "./audit.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Milliseconds that reading templates may take, one page and all together: somebody waits for it. */
const longestPageMs = 4_000;
const longestListMs = 10_000;
/** Milliseconds for a file of 16 MB, at 0.5 MB a second. */
const longestUploadMs = 32_000;

export const messagingModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    tokens.platform,
    [tokens.httpClient, tokens.config, tokens.sampleFiles],
    (client, { messagingPlatform }, samples) => {
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
    },
  );
  provide(bind, tokens.senderCapacities, [tokens.httpClient, tokens.config], (client, { messagingPlatform }) => {
    const { url, version, connectTimeoutMs, timeoutMs } = messagingPlatform;
    const timeouts = { connectMs: connectTimeoutMs, totalMs: Math.min(timeoutMs, longestPageMs) };
    return new CloudCapacities({ client, baseUrl: url, version, timeouts });
  });
  provide(
    bind,
    tokens.channels,
    [tokens.httpClient, tokens.config, tokens.metrics, tokens.publicAddress],
    (client, { messagingPlatform, channels }, metrics, address) =>
      channelsOf({
        client,
        address,
        messagingPlatform,
        urls: channels,
        observe: (channel, outcome) => metrics.countMessages(channel, outcome),
      }),
  );
  provide(bind, tokens.templateCache, [tokens.platform, tokens.log], (platform, log) => {
    return new TemplateCache(platform, (error) =>
      log.warn({ err: error }, "the platform did not tell what it knows of a template"),
    );
  });
  provide(bind, tokens.mediaProbe, [tokens.config], ({ media }) => {
    return new HttpMediaProbe({ timeoutMs: media.timeoutMs, allowPrivate: media.allowPrivateUrls });
  });
  provide(bind, tokens.background, [tokens.mediaProbe], (probe) =>
    background("media probe", "means", { stop: () => probe.close() }),
  );
  provide(bind, tokens.background, [tokens.sendMessage], (send) =>
    background("messages under way", "work", { stop: () => send.idle() }),
  );
  provide(
    bind,
    tokens.senderDirectory,
    [tokens.cells, tokens.secrets, tokens.config],
    (cells, secrets, { channels }) => new PostgresSenders(cells, secrets, Boolean(channels[smsChannel])),
  );
  provide(bind, tokens.giveSender, [tokens.cells, tokens.secrets], (cells, secrets) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      senders: new PostgresSenders(oneCell(transaction), secrets, false),
      note: noteOn(transaction),
    }));
    return new GiveSender(unitOfWork);
  });
  provide(bind, tokens.sendContexts, [tokens.cells, tokens.secrets], (cells, secrets) => {
    return new PostgresSendContexts(cells, secrets);
  });
  provide(
    bind,
    tokens.sendMessage,
    [
      tokens.outgoingMessages,
      tokens.senderDirectory,
      tokens.channels,
      tokens.feed,
      tokens.log,
      tokens.campaignQueue,
      tokens.campaignAnnouncer,
    ],
    (messages, senders, channels, feed, log, queue, announcer) => {
      const pauseTemplate = new PauseTemplate(queue, announcer);
      const onFailure = (error: unknown, messageId: number) =>
        log.error({ err: error, messageId }, "a message could not be sent, or what came of it not written down");
      return new SendMessage(messages, senders, channels, feed, onFailure, (...stopped) =>
        pauseTemplate.execute(...stopped),
      );
    },
  );
  provide(
    bind,
    tokens.readReceipts,
    [tokens.senderDirectory, tokens.channels, tokens.log],
    (senders, channels, log) =>
      new ReadReceipts(senders, channels, (error, businessId) =>
        log.warn({ err: error, businessId }, "a customer could not be told that a message was read"),
      ),
  );
  provide(bind, tokens.background, [tokens.readReceipts], (receipts) =>
    background("read receipts", "work", { stop: () => receipts.idle() }),
  );
  provide(bind, tokens.settleExpired, [tokens.outgoingMessages, tokens.feed], (...deps) => new SettleExpired(...deps));
  provide(bind, tokens.tick, [tokens.settleExpired], (settleExpired) =>
    tick("messages.settle", 5, (signal) => settleExpired.execute(signal)),
  );
  provide(
    bind,
    tokens.businessMessages,
    [tokens.sendMessage, tokens.senderDirectory, tokens.sendContexts, tokens.templateCache, tokens.config],
    (send, senders, contexts, known, { media }) =>
      new BusinessMessages(send, senders, contexts, known, media.baseUrl || null),
  );
  provide(bind, tokens.routes, [tokens.cells, tokens.secrets, tokens.platform], (cells, secrets, platform) => {
    const catalog = new PostgresTemplateCatalog(cells, secrets);
    return [listTemplatesRoute(new ListTemplates(catalog, platform))];
  });
  provide(
    bind,
    tokens.routes,
    [tokens.sendMessage, tokens.sendContexts, tokens.templateCache, tokens.ownMediaProbe, tokens.config],
    (send, contexts, known, mediaProbe, { media }) => [
      sendTemplateRoute(new SendTemplate(send, contexts, known, mediaProbe, media.baseUrl || null)),
    ],
  );
  provide(
    bind,
    tokens.chatTemplates,
    [tokens.sendContexts, tokens.platform, tokens.cells, tokens.ownMediaProbe, tokens.config],
    (contexts, platform, cells, mediaProbe, { media }) =>
      new ChatTemplates(contexts, platform, new PostgresTemplateUsage(cells), mediaProbe, media.baseUrl || null),
  );
  provide(bind, tokens.routes, [tokens.sendMessage, tokens.chatTemplates], (send, templates) => [
    sendToChatRoute(new SendToChat(send, templates)),
  ]);
});
