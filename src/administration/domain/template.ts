import { domainError } from "../../kernel/errors.ts";
import { isSameJson } from "../../kernel/same-json.ts";
import { approvalStates, type SampleProblem, templateStateOf } from "../../messaging/public.ts";

// Code in `resources` may not import from other features, so it imports `approvalStates` from here.
export { approvalStates };

/** The part of a template that the platform reviews, in the platform's format. */
export interface TemplateStructure {
  readonly language?: string;
  readonly category?: string;
  readonly components?: readonly TemplatePart[];
}

interface TemplatePart {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly text?: unknown;
}

export interface Template {
  readonly name: string;
  readonly platformName: string;
  readonly body: string;
  readonly structure: TemplateStructure | null;
  readonly buttons: string | null;
  readonly code: string | null;
  readonly fileName: string | null;
  readonly headerType: string | null;
  /** `Cloud` or `ProviderB`. */
  readonly provider: string;
  /** Comma-separated ids of the agents who may send it; null for all agents. */
  readonly allowedAgents: string | null;
  readonly contactVariables: readonly number[] | null;
  readonly articles: string | null;
  readonly providerBId: string | null;
  readonly version: string | null;
  readonly visible: boolean;
  readonly createdByAi: boolean | null;
  /** Stored as `platformStatus`, shown through `approvalStateOf`. Clients cannot write this field and those below. */
  readonly approvalState?: string | null;
  /** The platform's review status, for instance `PAUSED`; null if the platform has not reported one. */
  readonly platformStatus?: string | null;
  readonly platformReason?: string | null;
  readonly platformId?: string | null;
  readonly businessId?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** §1.5: the approval state that clients see, from the platform's review status. */
export const approvalStateOf = (platformStatus: string | null | undefined): (typeof approvalStates)[number] =>
  platformStatus == null ? "no_status" : templateStateOf(platformStatus);

/** Whether the content is locked, because the platform has it and has not rejected it. */
export const isSubmitted = ({ platformStatus = null }: Pick<Template, "platformStatus">): boolean =>
  platformStatus !== null && platformStatus !== "REJECTED";

/** The fields that cannot change while the template is submitted. */
const submitted = ["platformName", "structure", "body", "provider"] as const satisfies readonly (keyof Template)[];

/** The first of the `submitted` fields that a change alters. `body` may be set to the BODY text of the structure. */
export const alteredOf = (before: Template, after: Template): (typeof submitted)[number] | undefined =>
  submitted.find(
    (field) =>
      !isSameJson(before[field], after[field]) && !(field === "body" && after.body === bodyIn(after.structure)),
  );

/** The platform identifies a template by name and language. A key without a language stands for all languages. */
export const platformKeyOf = ({ platformName, structure }: Pick<Template, "platformName" | "structure">): string =>
  JSON.stringify([platformName, structure?.language || null]);

const partOf = (structure: TemplateStructure | null, type: string): TemplatePart | undefined =>
  Array.isArray(structure?.components)
    ? structure.components.find((part) => String(part?.type).toUpperCase() === type)
    : undefined;

/** The text of the BODY; empty if there is none. */
export function bodyIn(structure: TemplateStructure | null): string {
  const text = partOf(structure, "BODY")?.text;
  return typeof text === "string" ? text : "";
}

/** The format of the HEADER; `TEXT` if there is none. */
export function headerTypeOf(structure: TemplateStructure | null): string {
  const format = partOf(structure, "HEADER")?.format;
  return typeof format === "string" ? format.toUpperCase() : "TEXT";
}

/** The platform has the template, so this field cannot change. */
export class TemplateLocked extends domainError("locked") {
  constructor(readonly field: string) {
    super(`${field} of a submitted template`);
  }
}

/** The template is ProviderB's, or has no content in the platform's format. */
export class NotSubmittable extends domainError("not_submittable") {}

/** The file that the header shows as its example cannot be read, is too large or has the wrong type. */
export class SampleUnusable extends domainError("sample_unusable") {
  constructor(readonly problem: SampleProblem) {
    super(`the example of a header is ${problem}`);
  }
}

/** The platform refused the template. The message is the platform's own text. */
export class TemplateRefused extends domainError("template_refused") {}
