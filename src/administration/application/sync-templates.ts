import { groupBy } from "../../kernel/group-by.ts";
import { isSameJson } from "../../kernel/same-json.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { ReviewedTemplate } from "../../messaging/public.ts";
import type { Actor, StoredRecord } from "../domain/records.ts";
import { bodyIn, headerTypeOf, isSubmitted, platformKeyOf, type Template } from "../domain/template.ts";
import type { Change, RecordStores } from "./ports.ts";
import type {
  ApprovingPlatform,
  StoredTemplate,
  TemplateCampaigns,
  TemplateStore,
  TemplateUpdate,
} from "./template-ports.ts";

interface SyncResult {
  readonly created: number;
  readonly updated: number;
  /** How many templates the platform's list lacks. Archived and just submitted templates do not count. */
  readonly missing: number;
}

interface SyncStores extends RecordStores<TemplateStore> {
  readonly campaigns: TemplateCampaigns;
}

/**
 * Updates a business's templates to what its account at the platform has, and pauses campaigns whose templates the
 * platform does not send.
 */
export class SyncTemplates {
  constructor(
    private readonly unitOfWork: UnitOfWork<SyncStores>,
    private readonly platform: ApprovingPlatform,
    /** Called after the commit with the campaigns that were paused. */
    private readonly onPaused: (businessId: number, campaignIds: readonly number[]) => void,
  ) {}

  /** Rejects with `NoSender` and `PlatformUnavailable`; then nothing is changed. */
  async execute(actor: Actor): Promise<SyncResult> {
    const { businessId } = actor;
    const readAt = await this.unitOfWork.run(businessId, ({ records }) => records.now());
    const listed = eachOnce(await this.platform.list(businessId));
    const { synced, paused } = await this.unitOfWork.run(businessId, async ({ records, audit, campaigns }) => {
      const preferred = await records.preferredLanguage(businessId);
      const stored = await records.lockAll(businessId, readAt);
      const { matched, unmatched } = match(stored, listed, preferred);
      const living = stored.filter((each) => !each.isArchived && !isOlderThanSubmission(each, matched.get(each.id)));
      const missing = new Set(living.flatMap(({ id }) => (matched.has(id) ? [] : [id])));
      const changed = living.flatMap((template) => {
        const update = updateOf(template, matched.get(template.id));
        return isSameJson(update, storedFieldsOf(template))
          ? []
          : [{ ...update, body: bodyIn(update.structure) || update.body }];
      });
      let updated = 0;
      for (const some of chunks(changed)) {
        const ids = some.map(({ id }) => id);
        const before = byId(await records.findAll(businessId, ids));
        const written = await records.findAll(businessId, await records.apply(businessId, some, readAt));
        await audit.add(
          actor,
          written.map(({ id, fields }) => ({ ...entry(id, "changed"), before: before.get(id) ?? null, after: fields })),
        );
        updated += written.filter(({ id }) => !missing.has(id)).length;
      }
      for (const some of chunks(unmatched)) {
        const made = await records.findAll(businessId, await records.createListed(businessId, some));
        await audit.add(
          actor,
          made.map(({ id, fields }) => ({ ...entry(id, "created"), before: null, after: fields })),
        );
      }
      const paused = await campaigns.pauseStopped(businessId, listed, readAt);
      return { synced: { created: unmatched.length, updated, missing: missing.size }, paused };
    });
    this.onPaused(businessId, paused);
    return synced;
  }
}

const writtenAtOnce = 500;

const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / writtenAtOnce) }, (_, n) =>
    items.slice(n * writtenAtOnce, (n + 1) * writtenAtOnce),
  );

const byId = (kept: readonly StoredRecord<Template>[]) => new Map(kept.map(({ id, fields }) => [id, fields]));

const entry = (recordId: number, change: Change) => ({ resource: "templates", recordId, change });

/** Soon after a submission, a list without the template, or with its rejection, may be older than the submission. */
const isOlderThanSubmission = ({ isJustSubmitted }: StoredTemplate, listed: ReviewedTemplate | undefined): boolean =>
  isJustSubmitted && (!listed || listed.status === "REJECTED");

/** Keeps the last listed template of each name and language. */
const eachOnce = (listed: readonly ReviewedTemplate[]): ReviewedTemplate[] => [
  ...new Map(listed.map((template) => [keyOf(template), template])).values(),
];

const keyOf = ({ name, language }: ReviewedTemplate): string =>
  platformKeyOf({ platformName: name, structure: { language } });

/**
 * Matches each listed template with at most one stored template: by the platform's id, or else by name and language.
 * If several stored templates match, active ones come before archived ones. Within both groups, templates with a status
 * of the platform come first. `unmatched` are the listed templates that are not stored.
 */
function match(stored: readonly StoredTemplate[], listed: readonly ReviewedTemplate[], preferred: string) {
  const byPlatformId = new Map(listed.map((template) => [template.platformId, template]));
  const byKey = new Map(listed.map((template) => [keyOf(template), template]));
  const byName = groupBy(listed, ({ name }) => name);
  const matched = new Map<number, ReviewedTemplate>();
  const free = new Set(listed);
  const give = (id: number, found: ReviewedTemplate | undefined) => {
    if (found && !matched.has(id) && free.delete(found)) matched.set(id, found);
  };
  for (const isArchived of [false, true]) {
    const inTurn = stored
      .filter((each) => each.isArchived === isArchived)
      .toSorted((one, other) => Number(other.platformStatus !== null) - Number(one.platformStatus !== null));
    const [withLanguage, without] = [true, false].map((has) =>
      inTurn.filter(({ structure }) => Boolean(structure?.language) === has),
    ) as [StoredTemplate[], StoredTemplate[]];
    for (const { id, platformId } of inTurn) give(id, platformId ? byPlatformId.get(platformId) : undefined);
    for (const each of withLanguage) give(each.id, byKey.get(platformKeyOf(each)));
    for (const { id, platformName } of without) {
      // A stored template without a language stands for its name in all languages. It gets the status of the language
      // that a send would use.
      const named = (byName.get(platformName) ?? []).filter((each) => free.has(each));
      give(
        id,
        named.find(({ language }) => language === preferred) ??
          named.find(({ status }) => status === "APPROVED") ??
          named[0],
      );
      for (const each of named) free.delete(each);
    }
  }
  return { matched, unmatched: [...free] };
}

/** A submitted template gets the platform's content. A rejected one may have been edited here and keeps its content. */
function updateOf(template: StoredTemplate, listed: ReviewedTemplate | undefined): TemplateUpdate {
  const stored = storedFieldsOf(template);
  if (!listed) return { ...stored, platformStatus: null, platformReason: null, platformId: null };
  const { platformId, status: platformStatus, reason: platformReason } = listed;
  const update = { ...stored, platformId, platformStatus, platformReason };
  if (!isSubmitted(update) || listed.components.length === 0) return update;
  const structure = {
    ...template.structure,
    ...(template.structure?.language && { language: listed.language }),
    ...(listed.category !== null && { category: listed.category }),
    components: listed.components,
  };
  return { ...update, structure, body: bodyIn(structure) || template.body, headerType: headerTypeOf(structure) };
}

const storedFieldsOf = (template: StoredTemplate): TemplateUpdate => {
  const { id, structure, body, headerType, platformStatus, platformReason, platformId } = template;
  return { id, structure, body, headerType, platformStatus, platformReason, platformId };
};
