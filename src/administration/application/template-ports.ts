import type { ReviewedTemplate, SubmitOutcome } from "../../messaging/public.ts";
import type { StoredRecord } from "../domain/records.ts";
import type { Template, TemplateStructure } from "../domain/template.ts";
import type { RecordStore } from "./ports.ts";

export type { ReviewedTemplate, SubmitOutcome };

/** The platform that approves templates. Methods reject with `NoSender`, `list` also with `PlatformUnavailable`. */
export interface ApprovingPlatform {
  /** Submits a new template or, if it has a `platformId`, an edited one. */
  submit(
    businessId: number,
    template: { readonly name: string; readonly structure: TemplateStructure; readonly platformId: string | null },
  ): Promise<SubmitOutcome>;
  /** All templates of the account, from every page. */
  list(businessId: number): Promise<readonly ReviewedTemplate[]>;
}

/** What the platform had reported when the submission began. The answer must not overwrite a newer report. */
export interface OpenSubmission {
  readonly platformId: string | null;
  readonly status: string | null;
  /** The time of the platform's last report, as text from the database, because a `Date` has no microseconds. */
  readonly changedAt: string | null;
  /** A time that differs for each submission. A list that was read before this time may not show the template yet. */
  readonly listedFrom: string;
}

export interface SettledSubmission {
  readonly before: StoredRecord<Template>;
  readonly after: StoredRecord<Template>;
  /** The template was archived while the platform was asked. */
  readonly isArchived: boolean;
}

/** What a sync reads of a stored template. */
export interface StoredTemplate
  extends Required<
    Pick<
      Template,
      "platformName" | "structure" | "body" | "headerType" | "platformStatus" | "platformReason" | "platformId"
    >
  > {
  readonly id: number;
  readonly isArchived: boolean;
  /** The template was submitted so recently that the platform's list may not show it yet. */
  readonly isJustSubmitted: boolean;
}

/** What a sync writes to a stored template. */
export type TemplateUpdate = Omit<StoredTemplate, "platformName" | "isArchived" | "isJustSubmitted">;

export interface TemplateCampaigns {
  /**
   * Pauses campaigns if the platform does not send their templates, according to the status in the list. Skips
   * templates on which the platform reported after `readAt`. Returns the ids of the paused campaigns.
   */
  pauseStopped(businessId: number, listed: readonly ReviewedTemplate[], readAt: Date): Promise<readonly number[]>;
}

export interface TemplateStore extends RecordStore<Template> {
  beginSubmission(businessId: number, id: number): Promise<OpenSubmission>;
  /** Stores the outcome, also of an archived template. The status of a newer report or submission stays. */
  settleSubmission(
    businessId: number,
    id: number,
    submission: OpenSubmission,
    outcome: SubmitOutcome,
  ): Promise<SettledSubmission>;
  /**
   * Locks and returns the business's templates of the cloud platform, including archived ones; at most 12,000. Syncs
   * of one business take turns here.
   *
   * @param readAt - when the platform's list was read
   */
  lockAll(businessId: number, readAt: Date): Promise<readonly StoredTemplate[]>;
  /**
   * Writes a few hundred templates at most, and returns the changed ids. Skips templates on which the platform reported
   * after `readAt`.
   */
  apply(businessId: number, updates: readonly TemplateUpdate[], readAt: Date): Promise<readonly number[]>;
  /** Creates a few hundred templates at most and returns their ids. */
  createListed(businessId: number, templates: readonly ReviewedTemplate[]): Promise<readonly number[]>;
  /** The templates with these ids, in the order of the ids. */
  findAll(businessId: number, ids: readonly number[]): Promise<readonly StoredRecord<Template>[]>;
  /** The language in which templates without one are sent. */
  preferredLanguage(businessId: number): Promise<string>;
  now(): Promise<Date>;
}
