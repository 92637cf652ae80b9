import { setTimeout as sleep } from "node:timers/promises";
import type { BusinessFixture, TemplateFixture } from "../fixtures/businesses/business.ts";
import { asked, makeMissing, type Requests, type SetUpPlace } from "./requests.ts";

/** The longest wait for the platform's webhooks, and the time between two checks, in milliseconds. */
const longestWaitMs = 30_000;
const pollMs = 100;

/** Creates a business's templates. Submits those that should be submitted, unless the real platform is used. */
export async function setUpTemplates(business: BusinessFixture, place: SetUpPlace): Promise<void> {
  const { templates } = business;
  const { administrator, platform } = place;
  const records = templates.map((template) => ({ id: template.id, body: recordOf(template, place) }));
  await makeMissing(place, "templates", records);
  if (platform === null) console.error(`business ${business.id} did not submit its templates`);
  else await submit(business, administrator, platform);
  const there = await statesOf(administrator);
  for (const { id } of templates.filter(({ deleted }) => deleted)) {
    if (there.has(id)) await asked(administrator, "DELETE", `/admin/templates/${id}`);
  }
}

function recordOf(template: TemplateFixture, { addressOf }: SetUpPlace): object {
  const file = template.fileName === null ? null : addressOf(template.fileName);
  return {
    nombre: template.name,
    id_plantilla: template.platformName,
    descripcion: template.body,
    template: template.structure && withExample(template.structure, file),
    type: template.headerType,
    archivo_nombre: file,
    tipo: template.provider,
    id_providerb: template.providerBId,
    agentes_permitidos: template.allowedAgents,
    visible: template.visible,
    created_by_ai: template.createdByAi,
  };
}

const withExample = ({ components, ...rest }: { readonly components?: readonly object[] }, file: string | null) => ({
  ...rest,
  components: components?.map((component) =>
    file !== null && "format" in component ? { ...component, example: { header_handle: [file] } } : component,
  ),
});

async function submit(business: BusinessFixture, administrator: Requests, platform: Requests): Promise<void> {
  const before = await statesOf(administrator);
  const submitted = business.templates.filter(({ id, becomes }) => becomes && before.has(id));
  let review: object | undefined;
  for (const template of submitted) {
    const isNew = before.get(template.id) === null;
    if (isNew) {
      const wanted = reviews[template.becomes ?? "PENDING"];
      if (wanted !== review) await asked(platform, "POST", "/__sandbox/reviews", wanted);
      review = wanted;
      await asked(administrator, "POST", `/admin/templates/${template.id}/submit`);
    }
    // A review cannot pause a template, so the stand-in reports the pause afterwards. If the service missed the report
    // of a template that was submitted earlier, the stand-in repeats the report.
    if (isNew ? template.becomes === "PAUSED" : template.becomes !== before.get(template.id)) {
      const change = { event: template.becomes, language: languageOf(template), account: business.sender.accountId };
      await asked(platform, "POST", `/__sandbox/templates/${template.platformName}`, change);
    }
  }
  await asked(platform, "POST", "/__sandbox/reviews", {});
  await untilReported(administrator, submitted);
}

const unreviewed = { outcome: "PENDING" };
const reviews: Readonly<Record<NonNullable<TemplateFixture["becomes"]>, object>> = {
  APPROVED: { outcome: "APPROVED", delay_ms: 0 },
  REJECTED: { outcome: "REJECTED", reason: "INVALID_FORMAT", delay_ms: 0 },
  PENDING: unreviewed,
  PAUSED: unreviewed,
};

const languageOf = ({ structure }: TemplateFixture) => (structure as { readonly language?: string } | null)?.language;

/** The platform's status of each template by id; null if it was not submitted. */
async function statesOf(administrator: Requests): Promise<ReadonlyMap<number, string | null>> {
  const { data } = await asked(administrator, "GET", "/admin/templates?limit=100");
  return new Map(
    data.map(({ id, platform_status: status }: { id: number; platform_status: string | null }) => [id, status]),
  );
}

/** Waits until the platform has reported all statuses by webhook. */
async function untilReported(administrator: Requests, submitted: readonly TemplateFixture[]): Promise<void> {
  const deadline = Date.now() + longestWaitMs;
  for (;;) {
    const states = await statesOf(administrator);
    const open = submitted.filter(({ id, becomes }) => states.get(id) !== becomes);
    if (open.length === 0) return;
    const names = open.map(({ platformName }) => platformName).join(", ");
    if (Date.now() > deadline) throw new Error(`the platform's stand-in did not report the status of ${names}`);
    await sleep(pollMs);
  }
}
