import type { StoredRecord } from "../domain/records.ts";
import type { Template, TemplateStructure } from "../domain/template.ts";
import type { RecordStore } from "./ports.ts";

export interface TemplateToSubmit {
  readonly name: string;
  readonly structure: TemplateStructure;
  /** Of a template that the platform has already. */
  readonly platformId: string | null;
}

export interface AcceptedTemplate {
  readonly platformId: string | null;
  readonly status: string;
}

export type SubmissionOutcome =
  | ({ readonly kind: "accepted" } & AcceptedTemplate)
  | { readonly kind: "refused"; readonly words: string }
  /** Proven never to have reached the platform, or turned away for a rate. */
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

/** The platform that approves templates. Rejects with `NoSender`, and reading with `PlatformUnavailable`. */
export interface ApprovingPlatform {
  submit(businessId: number, template: TemplateToSubmit): Promise<SubmissionOutcome>;
  /** All of the account's, from every page. */
  list(businessId: number): Promise<readonly PlatformTemplate[]>;
}

/** What a template was before it was submitted, so that an answer is written over nothing else. */
export interface OpenSubmission {
  readonly platformId: string | null;
  readonly status: string | null;
  /** When the platform told of it last, in the database's own writing. */
  readonly changedAt: string | null;
  /** Of this submission and no other: from when on the list counts. */
  readonly listedFrom: string;
}

/** What an answer made of a template. */
export interface SettledSubmission {
  readonly before: StoredRecord<Template>;
  readonly after: StoredRecord<Template>;
  /** Meanwhile. */
  readonly isArchived: boolean;
}

/** A template as syncing knows it. */
export interface KnownTemplate
  extends Pick<
    Template,
    "platformName" | "structure" | "body" | "headerType" | "platformStatus" | "platformReason" | "platformId"
  > {
  readonly id: number;
  readonly isArchived: boolean;
  /** It was submitted so shortly before that the list may not tell of it. */
  readonly isInDoubt: boolean;
}

/** What the platform says of a template that is known. */
export interface TemplateNews
  extends Pick<Template, "structure" | "body" | "headerType" | "platformStatus" | "platformReason" | "platformId"> {
  readonly id: number;
}

export interface TemplateStore extends RecordStore<Template> {
  /** Counts as pending from now on. */
  beginSubmission(businessId: number, id: number): Promise<OpenSubmission>;
  /**
   * Writes what came of a submission, unless news of the platform said more since it was claimed, or the template was
   * submitted again. One that is archived is written too.
   */
  settleSubmission(
    businessId: number,
    id: number,
    submission: OpenSubmission,
    outcome: SubmissionOutcome,
  ): Promise<SettledSubmission>;
  /**
   * The cloud platform's, archived ones too, locked; at most 12,000. Of two that ask the second waits for the first.
   *
   * @param readAt - when the list was read that they are compared with
   */
  known(businessId: number, readAt: Date): Promise<readonly KnownTemplate[]>;
  /** The ids of those that changed, of a few hundred at most: news that came in since `readAt` count more. */
  apply(businessId: number, news: readonly TemplateNews[], readAt: Date): Promise<readonly number[]>;
  /** Their ids; a few hundred at most. */
  adopt(businessId: number, templates: readonly PlatformTemplate[]): Promise<readonly number[]>;
  /** Those with these ids, in their order. */
  those(businessId: number, ids: readonly number[]): Promise<readonly StoredRecord<Template>[]>;
  /** For templates that name none. */
  preferredLanguage(businessId: number): Promise<string>;
  /** The database's time. */
  now(): Promise<Date>;
}
