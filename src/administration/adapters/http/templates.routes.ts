import { administration } from "../../../infra/http/routing/administration.ts";
import { coded } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, integer, numericIdOf, objectWith } from "../../../infra/http/routing/schema.ts";
import type { SubmitTemplate } from "../../application/submit-template.ts";
import type { SyncTemplates } from "../../application/sync-templates.ts";
import type { Template } from "../../domain/template.ts";
import { administrationDialect, answers } from "./administration-dialect.ts";
import { type RecordOnWire, WireCodec } from "./record-on-wire.ts";
import { actorOf, etagHeader, etagOf, expectedIn } from "./records.routes.ts";

const platformAway = { description: "The platform did not answer", schema: codedFailure };

/** What templates do beyond what all resources do. */
export function templateRoutes(
  resource: RecordOnWire<Template>,
  submit: Pick<SubmitTemplate, "execute">,
  sync: Pick<SyncTemplates, "execute">,
): Route[] {
  const codec = new WireCodec(resource);
  const dialectFor = administrationDialect((field) => codec.wireName(field));
  const ofPlatform = {
    no_sender: () => [409, coded("no_sender", "El negocio no tiene un número en la plataforma")],
    platform_unavailable: () => [
      502,
      coded("platform_unavailable", "La plataforma no respondió; POST /admin/templates/sync dice qué plantillas tiene"),
    ],
  } as const;
  const submitting = {
    ...dialectFor("not_found", "moved_on", "rule_broken"),
    ...ofPlatform,
    locked: () => [409, coded("locked", "La plantilla ya está en la plataforma")],
    not_submittable: () => [
      409,
      coded("not_submittable", "Solo se envían plantillas de tipo Cloud con su contenido en template"),
    ],
    template_refused: ({ message }: { readonly message: string }) => [
      400,
      coded("template_refused", `La plataforma rechazó la plantilla: ${message}`),
    ],
  } as const;
  const away = { 502: platformAway, 400: answers.wrong, 500: answers.unexpected } as const;

  return [
    defineRoute({
      ...administration,
      method: "post",
      path: `/admin/${resource.path}/:id/submit`,
      operationId: "submitTemplate",
      summary: "Send a template to the platform for approval",
      rules: [
        [
          "Admin.Submit.1",
          "`template` is checked whole, as the platform does, and sent with the token of the business's number. The template is " +
            "pending from then on; the platform tells by webhook what came of its review.",
        ],
        [
          "Admin.Submit.2",
          "One that the platform rejected may be changed and submitted again: it is edited there, under its name. One that is " +
            "pending, approved or paused is a 409 `locked`.",
        ],
        [
          "Admin.Submit.3",
          "What the platform refuses at once is a 400 `template_refused` with its words, and the template stays as it was. Where " +
            "its answer is lost or tells of passing trouble (502) the template stays pending, until a sync or a webhook says " +
            "more. Where the platform was not reached, or takes no more requests for now (502), it stays as it was.",
        ],
        [
          "Admin.Submit.4",
          "Before the platform is asked, the audit tells that the template is submitted; afterwards, what came of it.",
        ],
      ],
      conditional: true,
      params: objectWith({ id: numericIdOf(resource.entity) }),
      lane: "platform",
      responses: {
        200: { description: "The record", schema: codec.answer, headers: etagHeader },
        404: answers.notFound,
        409: { description: "The platform has it already, or it cannot be submitted", schema: codedFailure },
        412: answers.movedOn,
        ...away,
      },
      dialect: submitting,
      handle: async (call) => {
        const record = await submit.execute(actorOf(call), call.params.id, expectedIn(call.headers));
        return new Reply(200, codec.toWire(record), { ETag: etagOf(record.version) });
      },
    }),
    defineRoute({
      ...administration,
      method: "post",
      path: `/admin/${resource.path}/sync`,
      operationId: "syncTemplates",
      summary: "Read all templates of the platform's account",
      rules: [
        [
          "Admin.Sync.1",
          "Templates are matched by the platform's id, else by name and language; one that names no language stands for its name " +
            "in all of them. Archived ones stay archived.",
        ],
        [
          "Admin.Sync.2",
          "`created`: the platform had them and the business did not. `updated`: their state or, of what was submitted, their " +
            "content was another. `missing`: the business has them and the platform does not; their state is `no_status`.",
        ],
        [
          "Admin.Sync.3",
          "The platform lists what it took a little later. A template that was submitted within the last minute, and that the " +
            "list does not have, or still has as rejected, stays pending and counts nowhere. Only of one that is new and whose " +
            "answer was lost the list counts at once: the platform would refuse its name a second time.",
        ],
      ],
      lane: "platform",
      responses: {
        200: {
          description: "How many templates came of it",
          schema: objectWith({ created: integer, updated: integer, missing: integer }),
        },
        409: { description: "The business has no number at the platform", schema: codedFailure },
        ...away,
      },
      dialect: { ...dialectFor(), ...ofPlatform },
      handle: async (call) => sync.execute(actorOf(call)),
    }),
  ];
}
