import { ContainerModule } from "inversify";
import { instanceBearer } from "../inbox/adapters/http/instance-proof.ts";
import { qrWebhookRoute } from "../inbox/adapters/http/qr-webhook.routes.ts";
import { PublicAddress } from "../infra/http/public-address.ts";
import { qrChannel } from "../kernel/channels.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const qrWebhookModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.publicAddress, [tokens.config], ({ publicUrl }) => new PublicAddress(publicUrl));
  provide(bind, tokens.instanceWebhook, [tokens.publicAddress, tokens.secrets], (address, secrets) => (instance) => ({
    url: `${address.root}/webhooks/qr/${encodeURIComponent(instance.platformId)}`,
    secret: instanceBearer(secrets, instance),
  }));
  provide(
    bind,
    tokens.routes,
    [tokens.secrets, tokens.webhookQueue, tokens.newFailureLimit, tokens.webhookLoop, tokens.metrics],
    (secrets, queue, newFailureLimit, loop, metrics) => [
      qrWebhookRoute(
        secrets,
        queue,
        newFailureLimit("wrong qr webhooks"),
        () => metrics.countIgnoredWebhook(qrChannel),
        () => loop.nudge(),
      ),
    ],
  );
});
