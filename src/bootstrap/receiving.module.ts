import type { ReceivingParts } from "../channels/channel.ts";
import { chatChannelKinds } from "../channels/channels.ts";
import { instanceBearer } from "../channels/qr/instance-proof.ts";
import { PublicAddress } from "../infra/http/public-address.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { RememberedSenderTokens } from "../messaging/adapters/memory/remembered-sender-tokens.ts";
import { PostgresSenderTokens } from "../messaging/adapters/postgres/sends/sender-tokens.ts";
import { moduleOf } from "./provide.ts";

/** Unreadable webhooks of a channel are logged at most once in this time. */
const silenceMs = 60_000;

export const receivingModule = moduleOf(({ provide }) => {
  provide("publicAddress", ({ config: { publicUrl } }) => new PublicAddress(publicUrl));
  provide("instanceWebhook", ({ publicAddress, secrets }) => (instance) => ({
    url: `${publicAddress.root}/webhooks/qr/${encodeURIComponent(instance.platformId)}`,
    secret: instanceBearer(secrets, instance),
  }));
  provide(
    "receivingParts",
    ({
      config,
      publicAddress,
      secrets,
      cells,
      lookUps,
      keepIncoming,
      newFailureLimit,
      incomingLoop,
      metrics,
      log,
    }): ReceivingParts => {
      const warnings = new OccasionalLog(log, silenceMs);
      return {
        ...config.messagingPlatform,
        address: publicAddress,
        secrets,
        senderTokens: new RememberedSenderTokens(new PostgresSenderTokens(cells, secrets), lookUps),
        queue: keepIncoming,
        newFailureLimit,
        onIgnored: (channel) => metrics.countIgnoredWebhook(channel),
        onUnreadable: (channel, err) => {
          metrics.countUnreadableWebhook(channel);
          warnings.warn({ err }, `a webhook of ${channel} cannot be understood and was dropped`);
        },
        onArrival: () => incomingLoop.nudge(),
      };
    },
  );
  provide("routes", ({ receivingParts }) =>
    Object.values(chatChannelKinds).flatMap(({ receiving }) => receiving.routes(receivingParts)),
  );
});
