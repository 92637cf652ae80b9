import { administration } from "../../../infra/http/routing/administration.ts";
import { coded, codedDialect, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, numericIdOf, objectWith } from "../../../infra/http/routing/schema.ts";
import type { PlatformUnavailable } from "../../../messaging/public.ts";
import type { PairSenders } from "../../application/manage-senders.ts";
import type { PhoneConnected, RecordNotFound } from "../../domain/records.ts";
import { answers } from "./administration-dialect.ts";
import { actorOf } from "./records.routes.ts";

const dialect = {
  ...codedDialect,
  not_found: () => [404, coded("not_found", "El registro no existe")],
  connected: () => [409, coded("connected", "El teléfono ya está conectado")],
  platform_unavailable: () => [502, coded("platform_unavailable", "La plataforma no responde")],
} as const satisfies typeof codedDialect & Dialect<RecordNotFound | PhoneConnected | PlatformUnavailable>;

/** The code that a phone has to see to be paired. */
export const pairingRoute = (senders: Pick<PairSenders, "code">): Route =>
  defineRoute({
    ...administration,
    method: "get",
    path: "/admin/senders/:id/qr.png",
    operationId: "getSenderCode",
    summary: "Has an instance connect, and shows the code for its phone",
    rules: [
      [
        "Senders.1",
        "The provider is asked for a new code each time; it holds for less than a minute. It is also told where to tell of the " +
          "connection from then on, under `PUBLIC_URL`, and with which secret.",
      ],
      ["Senders.2", "A phone that is connected already needs none: 409 `connected`. What is no instance is a 404."],
      [
        "Senders.3",
        "Who asked stands in the audit as `sender-pairings`, and so does a phone that is connected after that. The code does not.",
      ],
    ],
    lane: "platform",
    params: objectWith({ id: numericIdOf("sender") }),
    responses: {
      200: { description: "The code", type: "image/png" },
      404: answers.notFound,
      409: { description: "A phone is connected", schema: codedFailure },
      502: answers.away,
      400: answers.wrong,
      500: answers.unexpected,
    },
    dialect,
    handle: async (call) => {
      const image = await senders.code(actorOf(call), call.params.id);
      return new Reply(200, Buffer.from(image), { "Cache-Control": "no-store" }, "image/png");
    },
  });
