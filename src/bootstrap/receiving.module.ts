import { ContainerModule } from "inversify";
import type { ReceivingParts } from "../channels/channel.ts";
import { chatChannelKinds } from "../channels/channels.ts";
import { instanceBearer } from "../channels/qr/instance-proof.ts";
import { PublicAddress } from "../infra/http/public-address.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { RememberedSenderTokens } from "../messaging/adapters/memory/remembered-sender-tokens.ts";
import { PostgresSenderTokens } from "../messaging/adapters/postgres/sends/sender-tokens.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** The log has a channel's unreadable webhooks at most once in this time. */
const silenceMs = 60_000;

/** What comes in from the platforms. */
export const receivingModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.publicAddress, [tokens.config], ({ publicUrl }) => new PublicAddress(publicUrl));
  provide(bind, tokens.instanceWebhook, [tokens.publicAddress, tokens.secrets], (address, secrets) => (instance) => ({
    url: `${address.root}/webhooks/qr/${encodeURIComponent(instance.platformId)}`,
    secret: instanceBearer(secrets, instance),
  }));
  provide(
    bind,
    tokens.receivingParts,
    [
      tokens.config,
      tokens.publicAddress,
      tokens.secrets,
      tokens.cells,
      tokens.lookUps,
      tokens.keepWebhooks,
      tokens.newFailureLimit,
      tokens.webhookLoop,
      tokens.metrics,
      tokens.log,
    ],
    (config, address, secrets, cells, lookUps, queue, newFailureLimit, loop, metrics, log): ReceivingParts => {
      const warnings = new OccasionalLog(log, silenceMs);
      return {
        ...config.messagingPlatform,
        address,
        secrets,
        senderTokens: new RememberedSenderTokens(new PostgresSenderTokens(cells, secrets), lookUps),
        queue,
        newFailureLimit,
        onIgnored: (channel) => metrics.countIgnoredWebhook(channel),
        onUnreadable: (channel, err) => {
          metrics.countUnreadableWebhook(channel);
          warnings.warn({ err }, `a webhook of ${channel} cannot be understood and was dropped`);
        },
        onArrival: () => loop.nudge(),
      };
    },
  );
  provide(bind, tokens.routes, [tokens.receivingParts], (parts) =>
    Object.values(chatChannelKinds).flatMap(({ receiving }) => receiving.routes(parts)),
  );
});
