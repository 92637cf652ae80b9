import { ContainerModule } from "inversify";
import { smsChannel } from "../kernel/channels.ts";
import { sendTemplateRoute } from "../messaging/adapters/http/sends/send-template.route.ts";
import { sendToChatRoute } from "../messaging/adapters/http/sends/send-to-chat.route.ts";
import { listTemplatesRoute } from "../messaging/adapters/http/templates/list-templates.route.ts";
import { channelsOf } from "../messaging/adapters/http-client/channels.ts";
import { CloudApi } from "../messaging/adapters/http-client/cloud-api.ts";
import { HttpMediaProbe } from "../messaging/adapters/http-client/media-probe.ts";
import { RememberedTemplates } from "../messaging/adapters/memory/remembered-templates.ts";
import { PostgresSendContexts } from "../messaging/adapters/postgres/sends/send-contexts.ts";
import { PostgresSenders } from "../messaging/adapters/postgres/sends/senders.ts";
import { PostgresTemplateUsage } from "../messaging/adapters/postgres/sends/template-usage.ts";
import { PostgresTemplateCatalog } from "../messaging/adapters/postgres/templates/template-catalog.ts";
import {
  BusinessMessages,
  ListTemplates,
  SendMessage,
  SendTemplate,
  SendToChat,
  SettleExpired,
} from "../messaging/public.ts";
import { provide } from "./provide.ts";
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
  provide(
    bind,
    tokens.channels,
    [tokens.httpClient, tokens.config, tokens.metrics],
    (client, { messagingPlatform, channels }, metrics) =>
      channelsOf({
        client,
        messagingPlatform,
        urls: channels,
        observe: (channel, outcome) => metrics.countMessages(channel, outcome),
      }),
  );
  provide(bind, tokens.knownTemplates, [tokens.platform, tokens.log], (platform, log) => {
    return new RememberedTemplates(platform, (error) =>
      log.warn({ err: error }, "the platform did not tell what it knows of a template"),
    );
  });
  provide(bind, tokens.mediaProbe, [tokens.config], ({ media }) => {
    return new HttpMediaProbe({ timeoutMs: media.timeoutMs, allowPrivate: media.allowPrivateUrls });
  });
  provide(
    bind,
    tokens.senderDirectory,
    [tokens.cells, tokens.secrets, tokens.config],
    (cells, secrets, { channels }) => new PostgresSenders(cells, secrets, Boolean(channels[smsChannel])),
  );
  provide(bind, tokens.templateCatalog, [tokens.cells, tokens.secrets], (cells, secrets) => {
    return new PostgresTemplateCatalog(cells, secrets);
  });
  provide(bind, tokens.sendContexts, [tokens.cells, tokens.secrets], (cells, secrets) => {
    return new PostgresSendContexts(cells, secrets);
  });
  provide(
    bind,
    tokens.sendMessage,
    [tokens.outgoingMessages, tokens.senderDirectory, tokens.channels, tokens.feed, tokens.log],
    (messages, senders, channels, feed, log) =>
      new SendMessage(messages, senders, channels, feed, (error, messageId) =>
        log.error({ err: error, messageId }, "a message could not be sent, or what came of it not written down"),
      ),
  );
  provide(bind, tokens.settleExpired, [tokens.outgoingMessages, tokens.feed], (...deps) => new SettleExpired(...deps));
  provide(bind, tokens.tick, [tokens.settleExpired], (settleExpired) => ({
    name: "messages.settle",
    everySeconds: 5,
    run: async (signal) => void (await settleExpired.execute(signal)),
  }));
  provide(
    bind,
    tokens.businessMessages,
    [tokens.sendMessage, tokens.senderDirectory, tokens.sendContexts, tokens.knownTemplates, tokens.config],
    (send, senders, contexts, known, { media }) =>
      new BusinessMessages(send, senders, contexts, known, media.baseUrl || null),
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
    [tokens.sendMessage, tokens.sendContexts, tokens.knownTemplates, tokens.ownMediaProbe, tokens.config],
    (send, contexts, known, mediaProbe, { media }) =>
      new SendTemplate(send, contexts, known, mediaProbe, media.baseUrl || null),
  );
  provide(
    bind,
    tokens.sendToChat,
    [tokens.sendMessage, tokens.sendContexts, tokens.platform, tokens.cells, tokens.config],
    (send, contexts, platform, cells, { media }) =>
      new SendToChat(send, contexts, platform, new PostgresTemplateUsage(cells), media.baseUrl || null),
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
