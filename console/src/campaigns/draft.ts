import { newKey } from "../shared/new-key.ts";
import type { Audience } from "./audience.ts";
import type { NewCampaign } from "./campaigns.ts";

/** What fills a placeholder: a field of each recipient, or the same text for all. */
export type Source = { readonly field: string } | { readonly text: string };

export interface Draft {
  /** The same for each attempt to register it. */
  readonly once: string;
  readonly name: string;
  readonly templateId: number | null;
  readonly stepId: number | null;
  readonly audience: "tag" | "file";
  readonly tag: number | null;
  /** By placeholder. */
  readonly sources: Readonly<Record<string, Source>>;
  /** By the business's clock, `2026-01-31T09:30`; empty: at once. */
  readonly startsAt: string;
  /** Local times between which messages are sent; empty: at any. */
  readonly from: string;
  readonly to: string;
}

const keptAs = "recado.campaign";

export const emptyDraft = (): Draft => ({
  once: newKey(),
  name: "",
  templateId: null,
  stepId: null,
  audience: "tag",
  tag: null,
  sources: {},
  startsAt: "",
  from: "",
  to: "",
});

/** A reload of the page loses nothing but a file. */
export function keptDraft(): Draft {
  try {
    return { ...emptyDraft(), ...(JSON.parse(sessionStorage.getItem(keptAs) ?? "{}") as Partial<Draft>) };
  } catch {
    return emptyDraft();
  }
}

export function keepDraft(draft: Draft | null): void {
  try {
    if (draft) sessionStorage.setItem(keptAs, JSON.stringify(draft));
    else sessionStorage.removeItem(keptAs);
  } catch {
    // The page goes on with what it has in memory.
  }
}

interface Launch {
  readonly empresa_id: number;
  readonly user_id: number;
  readonly schedule_at: string | null;
}

/** The body of the registration; each recipient brings only the fields that placeholders are filled from. */
export function campaignOf(
  draft: Draft,
  placeholders: readonly string[],
  recipients: Audience["recipients"],
  { schedule_at, ...launch }: Launch,
): NewCampaign {
  const sources = placeholders.map((placeholder) => draft.sources[placeholder]);
  const nameOf = (index: number): string => `valor_${index + 1}`;
  const contacts = recipients.map(({ fields }) => ({
    nombre: fields.nombre || fields.numero || "",
    numero: fields.numero ?? "",
    ...Object.fromEntries(sources.map((source, index) => [nameOf(index), filledFrom(source, fields)])),
  }));
  return {
    ...launch,
    nombre: draft.name.trim(),
    plantilla_id: draft.templateId ?? 0,
    step: draft.stepId ?? 0,
    tags: draft.tag === null ? [] : [draft.tag],
    contacts_id: recipients.map(({ id }) => id),
    contacts,
    ...(placeholders.length > 0 && {
      paramMapping: Object.fromEntries(placeholders.map((_, index) => [String(index + 1), nameOf(index)])),
    }),
    ...(schedule_at !== null && { schedule_at }),
    ...(draft.from && draft.to && { send_window: { from: draft.from, to: draft.to } }),
  };
}

export const filledFrom = (source: Source | undefined, fields: Readonly<Record<string, string>>): string => {
  if (source === undefined) return "";
  return "text" in source ? source.text : (fields[source.field] ?? "");
};
