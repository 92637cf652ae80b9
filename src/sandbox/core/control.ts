import type { Faults } from "./faults.ts";
import { type ControlRoute, ok, type Platform } from "./route.ts";
import { controlInput, controlPrefix } from "./server.ts";
import { readWebhookTarget, type Webhooks } from "./webhooks.ts";

/** The control routes that all platforms share, together with those of each. */
export function controlRoutes(platforms: readonly Platform[], faults: Faults, webhooks: Webhooks): ControlRoute[] {
  const routes: ControlRoute[] = [
    {
      method: "GET",
      path: controlPrefix,
      about: "this list",
      handle: () => ok({ routes: routes.map(({ method, path, about }) => ({ route: `${method} ${path}`, about })) }),
    },
    {
      method: "DELETE",
      path: controlPrefix,
      about: "forgets messages, faults, behaviour and opt-outs; accounts and the webhook's address stay",
      handle: () => {
        faults.clear();
        webhooks.reset();
        for (const platform of platforms) platform.reset();
        return ok({ cleared: true });
      },
    },
    {
      method: "POST",
      path: `${controlPrefix}/faults`,
      about:
        "what happens to the next requests: {count, path, status, code, subcode, message, retry_after, delay_ms, " +
        "hang, reset, garbage, accept}",
      handle: (call) => {
        faults.add(controlInput(call));
        return ok(faults.list());
      },
    },
    {
      method: "GET",
      path: `${controlPrefix}/faults`,
      about: "faults that still wait",
      handle: () => ok(faults.list()),
    },
    {
      method: "DELETE",
      path: `${controlPrefix}/faults`,
      about: "removes the faults that still wait",
      handle: () => {
        faults.clear();
        return ok([]);
      },
    },
    {
      method: "POST",
      path: `${controlPrefix}/webhook`,
      about: "where webhooks go and what signs them: {url, appSecret}",
      handle: (call) => {
        const target = readWebhookTarget(controlInput(call), "webhook");
        webhooks.target = target;
        return ok({ url: target.url });
      },
    },
    ...platforms.flatMap(({ control }) => control),
  ];
  return routes;
}
