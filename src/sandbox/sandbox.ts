import { adsPlatform } from "./ads/platform.ts";
import { cloudPlatform } from "./cloud/platform.ts";
import { type Core, controlRoutes } from "./core/control.ts";
import { Faults } from "./core/faults.ts";
import type { Platform } from "./core/route.ts";
import { SandboxServer } from "./core/server.ts";
import { Shared } from "./core/shared.ts";
import { StatusQueues } from "./core/status-queues.ts";
import { Webhooks } from "./core/webhooks.ts";
import { deliveryPlatform } from "./delivery/platform.ts";
import { filesPlatform } from "./files/platform.ts";
import { pagesPlatform } from "./pages/platform.ts";
import { providerBPlatform } from "./provider-b/platform.ts";
import { pusherPlatform } from "./pusher/platform.ts";
import { qrPlatform } from "./qr/platform.ts";
import type { SandboxSettings } from "./settings.ts";
import { smsPlatform } from "./sms/platform.ts";

export type { SandboxAd, SandboxAdAccount, SandboxAdCampaign } from "./ads/settings.ts";
export type { SandboxAccount, SandboxPusherApp, SandboxSettings, SandboxTemplate } from "./settings.ts";

export interface Sandbox {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts stand-ins for the outside platforms: they use the platforms' wire formats and checks, deliver signed webhooks,
 * and are controlled under `/__sandbox`. Resolves when the server listens.
 */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const log = settings.log ?? (() => {});
  const webhooks = new Webhooks(settings.webhook);
  const shared = new Shared({
    keepMessages: settings.keepMessages ?? 100_000,
    undeliverable: settings.undeliverable ?? [],
  });
  const queues = new StatusQueues(webhooks, settings.statusDelayMs ?? 50, log);
  const core: Core = { shared, webhooks, queues, errorStatuses: new Map() };
  const platforms: Platform[] = [
    cloudPlatform(settings, core),
    pagesPlatform(settings.pages ?? [], core),
    qrPlatform(settings.qrInstances ?? [], core),
    providerBPlatform(settings, core),
    smsPlatform(shared),
    deliveryPlatform(),
    filesPlatform(shared.files),
    pusherPlatform(settings.pusherApps ?? []),
    adsPlatform(settings.adAccounts ?? [], core.errorStatuses),
  ];
  const faults = new Faults([...new Set(platforms.flatMap(({ routes }) => routes.map(({ operation }) => operation)))]);
  const control = controlRoutes(platforms, faults, core);
  const server = new SandboxServer(platforms, control, faults, log);

  const port = await server.listen(settings.port, settings.host);
  const url = `http://${reachable(settings.host)}:${port}`;
  shared.files.origin = url;
  return {
    url,
    port,
    async close() {
      for (const platform of platforms) platform.close?.();
      queues.reset();
      webhooks.close();
      await server.close();
    },
  };
}

/** A host that clients can call. `0.0.0.0` and `::`, which mean all interfaces, become `127.0.0.1`. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
