import { administration } from "../../../infra/http/routing/administration.ts";
import { coded } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, integer, numericIdOf, objectWith } from "../../../infra/http/routing/schema.ts";
import type { SampleProblem } from "../../../messaging/public.ts";
import type { SubmitTemplate } from "../../application/submit-template.ts";
import type { SyncTemplates } from "../../application/sync-templates.ts";
import type { Template } from "../../domain/template.ts";
import { answers, failures } from "./administration-dialect.ts";
import type { RecordOnWire } from "./record-on-wire.ts";
import { actorOf, expectedIn, partsOf } from "./records.routes.ts";

const sampleWords: Readonly<Record<SampleProblem, string>> = {
  unreachable: "no se puede leer en esa dirección",
  "too-large": "es demasiado grande: 5 MB para imágenes, 16 MB para videos y documentos",
  "wrong-type": "no es del tipo del encabezado: JPEG o PNG, MP4 o PDF",
};

export function templateRoutes(
  resource: RecordOnWire<Template>,
  submit: Pick<SubmitTemplate, "execute">,
  sync: Pick<SyncTemplates, "execute">,
): Route[] {
  const { dialectFor, found, replyOf } = partsOf(resource);
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
    sample_unusable: ({ problem }: { readonly problem: SampleProblem }) => [
      400,
      coded("sample_unusable", `El ejemplo del encabezado (template, example.header_handle) ${sampleWords[problem]}`),
    ],
  } as const;
  const away = { 502: { description: "The platform did not answer", schema: codedFailure }, ...failures } as const;

  return [
    defineRoute({
      ...administration,
      method: "post",
      path: `/admin/${resource.path}/:id/submit`,
      operationId: "submitTemplate",
      summary: "Send a template to the platform for approval",
      rules: {
        "Admin.Submit.1":
          "`template` is checked by the platform's rules and sent with the token of the business's number. The template is then " +
          "pending until the platform reports the result of its review by webhook.",
        "Admin.Submit.2":
          "A rejected template may be changed and submitted again: the platform then edits it under its name. For a pending, " +
          "approved or paused template the answer is 409 `locked`.",
        "Admin.Submit.3":
          "If the platform refuses the template at once, the answer is 400 `template_refused` with the platform's text, and the " +
          "template stays as it was. If the platform's answer is lost, or reports a temporary failure, the answer is 502 and " +
          "the template stays pending until a sync or a webhook reports its status. If the platform could not be reached, or " +
          "its rate limit is reached, the answer is 502 and the template stays as it was.",
        "Admin.Submit.4": "The audit records the submission before the platform is asked, and the result afterwards.",
        "Admin.Submit.5":
          "The example of a media header, `example.header_handle`, is a handle of the platform or an address: of a file stored " +
          "here (`POST /media`) or any public https address. The file at an address is uploaded to the platform at each " +
          "submission, and its handle sent in place of the address. JPEG and PNG may have 5 MB, MP4 and PDF 16 MB. A file that " +
          "cannot be used is 400 `sample_unusable`, and the template stays as it was.",
      },
      conditional: true,
      params: objectWith({ id: numericIdOf(resource.entity) }),
      lane: "platform",
      responses: {
        200: found,
        404: answers.notFound,
        409: { description: "The platform already has the template, or it cannot be submitted", schema: codedFailure },
        412: answers.movedOn,
        ...away,
      },
      dialect: submitting,
      handle: async (call) => replyOf(await submit.execute(actorOf(call), call.params.id, expectedIn(call.headers))),
    }),
    defineRoute({
      ...administration,
      method: "post",
      path: `/admin/${resource.path}/sync`,
      operationId: "syncTemplates",
      summary: "Update the templates from the account at the platform",
      rules: {
        "Admin.Sync.1":
          "The platform's templates are matched with those of the business by the platform's id, else by name and language. A " +
          "template without a language matches its name in every language. Archived templates stay archived.",
        "Admin.Sync.2":
          "`created` counts templates that only the platform had. `updated` counts those whose status changed, or whose " +
          "submitted content differed. `missing` counts those that the platform does not have; their state is `no_status`.",
        "Admin.Sync.3":
          "The platform lists a submitted template with some delay. A template that was submitted within the last minute, and that " +
          "the list lacks or still shows as rejected, stays pending and is not counted. The exception is a new template whose " +
          "answer was lost: for it the list counts at once, as the platform would refuse the same name a second time.",
      },
      lane: "platform",
      responses: {
        200: {
          description: "How many templates the sync created and updated, and how many are missing",
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
