import { DomainError } from "../../kernel/errors.ts";
import { isSameJson } from "../../kernel/same-json.ts";

/** What the platform approves, in its own format. */
export interface TemplateStructure {
  readonly language?: string;
  readonly category?: string;
  readonly components?: readonly TemplatePart[];
}

export interface TemplatePart {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly text?: unknown;
}

export interface Template {
  readonly name: string;
  /** The name under which the platform knows it. */
  readonly platformName: string;
  readonly body: string;
  readonly structure: TemplateStructure | null;
  readonly buttons: string | null;
  readonly code: string | null;
  readonly fileName: string | null;
  readonly headerType: string | null;
  /** `Cloud` or `ProviderB`. */
  readonly provider: string;
  /** Ids of agents with commas between them; null for all. */
  readonly allowedAgents: string | null;
  readonly contactVariables: readonly number[] | null;
  readonly articles: string | null;
  readonly providerBId: string | null;
  readonly version: string | null;
  readonly visible: boolean;
  readonly createdByAi: boolean | null;
  /** Only read, as those that follow. The state that it shows as, and the platform's own word; null where it said none. */
  readonly approvalState?: string | null;
  readonly platformStatus?: string | null;
  readonly platformReason?: string | null;
  readonly platformId?: string | null;
  readonly businessId?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** Whether the platform has it as it is: what was submitted stays as it was until it is refused. */
export const isSubmitted = ({ platformStatus = null }: Pick<Template, "platformStatus">): boolean =>
  platformStatus !== null && platformStatus !== "REJECTED";

/** What the platform has of a template. */
const submitted = ["platformName", "structure", "body", "provider"] as const satisfies readonly (keyof Template)[];

/** What a change would alter of what the platform has. */
export const alteredOf = (before: Template, after: Template): (typeof submitted)[number] | undefined =>
  submitted.find((field) => !isSameJson(before[field], after[field]));

export const partOf = (structure: TemplateStructure | null, type: string): TemplatePart | undefined =>
  Array.isArray(structure?.components)
    ? structure.components.find((part) => String(part?.type).toUpperCase() === type)
    : undefined;

/** The text of the body as the platform has it; empty where there is none. */
export function bodyIn(structure: TemplateStructure | null): string {
  const text = partOf(structure, "BODY")?.text;
  return typeof text === "string" ? text : "";
}

/** The kind of the header: `TEXT` also where there is none. */
export function headerTypeOf(structure: TemplateStructure | null): string {
  const format = partOf(structure, "HEADER")?.format;
  return typeof format === "string" ? format.toUpperCase() : "TEXT";
}

/** The platform has the template, so that this field stays as it is. */
export class TemplateLocked extends DomainError<"locked"> {
  readonly code = "locked";
  constructor(readonly field: string) {
    super(`${field} of a submitted template`);
  }
}

/** Nothing of it can be submitted: it is ProviderB's, or has no content in the platform's format. */
export class NotSubmittable extends DomainError<"not_submittable"> {
  readonly code = "not_submittable";
}

/** The platform refused the template; in its own words. */
export class TemplateRefused extends DomainError<"template_refused"> {
  readonly code = "template_refused";
}
