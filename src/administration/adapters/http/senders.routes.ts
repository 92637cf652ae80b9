import { administration } from "../../../infra/http/routing/administration.ts";
import { coded, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, numericIdOf, objectWith } from "../../../infra/http/routing/schema.ts";
import type { PairSenders } from "../../application/manage-senders.ts";
import type { PhoneConnected } from "../../domain/records.ts";
import { administrationDialect, answers, failures } from "./administration-dialect.ts";
import { actorOf } from "./records.routes.ts";

const usual = administrationDialect()("not_found", "platform_unavailable");
const dialect = {
  ...usual,
  connected: () => [409, coded("connected", "El teléfono ya está conectado")],
} as const satisfies typeof usual & Dialect<PhoneConnected>;

/** The QR code that pairs a phone with an instance. */
export const pairingRoute = (senders: Pick<PairSenders, "code">): Route =>
  defineRoute({
    ...administration,
    method: "get",
    path: "/admin/senders/:id/qr.png",
    operationId: "getSenderCode",
    summary: "Start pairing an instance, and get the QR code for its phone",
    rules: {
      "Senders.1":
        "Each request gets a new code from the provider, valid for less than a minute. It also registers our webhook for the " +
        "instance at the provider, under `PUBLIC_URL` and with a secret.",
      "Senders.2": "409 `connected` if a phone is already connected, and 404 if the sender is not a QR instance.",
      "Senders.3":
        "The audit records each code that was given out, and each phone that connects, as `sender-pairings`. It never has the code.",
    },
    lane: "platform",
    params: objectWith({ id: numericIdOf("sender") }),
    responses: {
      200: { description: "The QR code", type: "image/png" },
      404: answers.notFound,
      409: { description: "A phone is already connected", schema: codedFailure },
      502: answers.away,
      ...failures,
    },
    dialect,
    handle: async (call) => {
      const image = await senders.code(actorOf(call), call.params.id);
      return new Reply(200, Buffer.from(image), { "Cache-Control": "no-store" }, "image/png");
    },
  });
