import { ContainerModule } from "inversify";
import type { OutgoingMessages } from "../inbox/application/ports.ts";
import { cloudChannel } from "../kernel/channels.ts";
import type { EventFeed } from "../kernel/events.ts";
import { listTemplatesRoute } from "../messaging/adapters/http/list-templates.route.ts";
import { sendTemplateRoute } from "../messaging/adapters/http/send-template.route.ts";
import { channelsOf } from "../messaging/adapters/http-client/channels.ts";
import { CloudApi } from "../messaging/adapters/http-client/cloud-api.ts";
import { HttpMediaProbe } from "../messaging/adapters/http-client/media-probe.ts";
import { RememberedTemplates } from "../messaging/adapters/memory/remembered-templates.ts";
import { PostgresSenders } from "../messaging/adapters/postgres/senders.ts";
import { PostgresTemplateCatalog } from "../messaging/adapters/postgres/template-catalog.ts";
import { ListTemplates } from "../messaging/application/list-templates.ts";
import type { Outbox } from "../messaging/application/ports.ts";
import { SendTemplate } from "../messaging/application/send-template.ts";
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
  provide(bind, tokens.knownTemplates, [tokens.platform], (platform) => new RememberedTemplates(platform));
  provide(bind, tokens.mediaProbe, [tokens.config], ({ media }) => {
    return new HttpMediaProbe({ timeoutMs: media.timeoutMs, allowPrivate: media.allowPrivateUrls });
  });
  provide(bind, tokens.senderDirectory, [tokens.database, tokens.secrets], (database, secrets) => {
    return new PostgresSenders(database, (sealed, businessId) => secrets.open(sealed, businessId));
  });
  provide(bind, tokens.templateCatalog, [tokens.database, tokens.secrets], (database, secrets) => {
    return new PostgresTemplateCatalog(database, (sealed, businessId) => secrets.open(sealed, businessId));
  });
  provide(bind, tokens.outbox, [tokens.outgoingMessages, tokens.feed, tokens.metrics], (messages, feed, metrics) =>
    cloudOutbox(messages, feed, (kind) => metrics.countMessages(cloudChannel, kind)),
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
    [tokens.templateCatalog, tokens.platform, tokens.knownTemplates, tokens.mediaProbe, tokens.outbox, tokens.config],
    (catalog, platform, known, mediaProbe, outbox, { media }) =>
      new SendTemplate(catalog, platform, known, mediaProbe, outbox, media.baseUrl || null),
  );
  provide(bind, tokens.routes, [tokens.listTemplates, tokens.sendTemplate], (listTemplates, sendTemplate) => [
    listTemplatesRoute(listTemplates),
    sendTemplateRoute(sendTemplate),
  ]);
});

/** Binds what sending needs of the inbox to the inbox. */
const cloudOutbox = (messages: OutgoingMessages, feed: EventFeed, observe: (outcome: string) => void): Outbox => ({
  open: async (message) => {
    const underWay = await messages.open({ ...message, provider: cloudChannel, kind: "template" });
    return {
      reference: underWay.reference,
      settle: async (outcome) => {
        feed.publish(await messages.settle(underWay, settlementOf(outcome)));
        observe(outcome.kind);
      },
    };
  },
});
