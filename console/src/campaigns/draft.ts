import { newKey } from "../shared/new-key.ts";
import type { Audience } from "./audience.ts";
import type { NewCampaign } from "./campaigns.ts";

/** The value of a placeholder: a field of each recipient, or a fixed text. */
export type Source = { readonly field: string } | { readonly text: string };

export interface Draft {
  /** The Idempotency-Key for all attempts to register the campaign. */
  readonly once: string;
  readonly name: string;
  readonly templateId: number | null;
  readonly stepId: number | null;
  readonly audience: "tag" | "file";
  readonly tag: number | null;
  /** The sources of the values, by placeholder. */
  readonly sources: Readonly<Record<string, Source>>;
  /** In the business's time zone, such as `2026-01-31T09:30`; empty means now. */
  readonly startsAt: string;
  /** Messages are sent between `from` and `to`, in the business's time zone; empty means at any time. */
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

/** The draft from the storage of the browser's tab. It does not contain files or recipients. */
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
    // The page works without storage.
  }
}

interface Launch {
  readonly empresa_id: number;
  readonly user_id: number;
  readonly schedule_at: string | null;
}

/** The request body. Each recipient contains only its name, its number and its values for the placeholders. */
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

/** Whether only one end of the send window is given. */
export const isWindowHalf = ({ from, to }: Draft): boolean => (from === "") !== (to === "");

export const filledFrom = (source: Source | undefined, fields: Readonly<Record<string, string>>): string => {
  if (source === undefined) return "";
  return "text" in source ? source.text : (fields[source.field] ?? "");
};
