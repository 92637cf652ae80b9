import type { Kept } from "../domain/records.ts";
import type { Template, TemplateStructure } from "../domain/template.ts";
import type { RecordStore } from "./ports.ts";

export interface TemplateToSubmit {
  readonly name: string;
  readonly structure: TemplateStructure;
  /** Of a template that the platform has already. */
  readonly platformId: string | null;
}

export interface SubmittedTemplate {
  readonly platformId: string | null;
  readonly status: string;
}

export type Submitted =
  | ({ readonly kind: "accepted" } & SubmittedTemplate)
  | { readonly kind: "refused"; readonly words: string }
  /** Proven never to have reached the platform. */
  | { readonly kind: "not-sent" }
  /** It may have reached the platform or not. */
  | { readonly kind: "unknown" };

/** As the platform lists it. */
export interface PlatformTemplate {
  readonly platformId: string;
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly reason: string | null;
  readonly category: string | null;
  readonly components: readonly object[];
}

/** The platform that approves templates. Rejects with `NoAccount`, and reading with `PlatformUnavailable`. */
export interface ApprovingPlatform {
  submit(businessId: number, template: TemplateToSubmit): Promise<Submitted>;
  /** All of the account's, from every page. */
  list(businessId: number): Promise<readonly PlatformTemplate[]>;
}

/** What stood of the platform when a template was submitted. */
export interface Claim {
  readonly platformId: string | null;
  readonly status: string | null;
  readonly changedAt: Date | null;
}

/** A template as syncing knows it. */
export interface KnownTemplate
  extends Pick<
    Template,
    "platformName" | "structure" | "body" | "headerType" | "platformStatus" | "platformReason" | "platformId"
  > {
  readonly id: number;
  readonly isArchived: boolean;
}

/** What the platform says of a template that is known. */
export interface TemplateNews
  extends Pick<Template, "structure" | "body" | "headerType" | "platformStatus" | "platformReason" | "platformId"> {
  readonly id: number;
}

export interface TemplateStore extends RecordStore<Template> {
  /** Counts as pending from now on. */
  claim(businessId: number, id: number): Promise<Claim>;
  /** What came of it, unless news of the platform said more since it was claimed. */
  settle(businessId: number, id: number, claim: Claim, outcome: SubmittedTemplate | Claim): Promise<Kept<Template>>;
  /** The cloud platform's, archived ones too, locked; at most 12,000. */
  known(businessId: number): Promise<readonly KnownTemplate[]>;
  /** The ids of those that changed: news that came in since `readAt` count more. */
  apply(businessId: number, news: readonly TemplateNews[], readAt: Date): Promise<readonly number[]>;
  /** Their ids. */
  adopt(businessId: number, templates: readonly PlatformTemplate[]): Promise<readonly number[]>;
  /** For templates that name none. */
  preferredLanguage(businessId: number): Promise<string>;
  /** The database's time. */
  now(): Promise<Date>;
}
