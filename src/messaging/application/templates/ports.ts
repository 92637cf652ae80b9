import type { PlatformTemplate } from "../../domain/platform.ts";
import type { Template } from "../../domain/template.ts";
import type { Sender } from "../sends/ports.ts";

export interface MessagingPlatform {
  /**
   * All templates of the sender's account, or those with the filter's name, from every page. Rejects with
   * `PlatformUnavailable` if a page cannot be read.
   */
  listTemplates(sender: Sender, filter?: { readonly name?: string }): Promise<PlatformTemplate[]>;
}

/** The limits of a sender, as far as its platform reports them. */
export interface SenderCapacity {
  /** Such as `GREEN` or `RED`; null if unknown. */
  readonly quality: string | null;
  /** With how many people the sender may start a conversation within 24 hours; null if unlimited or unknown. */
  readonly dailyLimit: number | null;
}

export interface SenderCapacities {
  /** Never rejects. */
  of(sender: Sender): Promise<SenderCapacity>;
}

/** A template as the platform has it, with its content. */
export interface ReviewedTemplate {
  readonly platformId: string;
  readonly name: string;
  readonly language: string;
  /** The platform's review status. */
  readonly status: string;
  readonly reason: string | null;
  readonly category: string | null;
  readonly components: readonly object[];
}

export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly platformId: string | null; readonly status: string }
  /** `words` is the platform's own text. */
  | { readonly kind: "refused"; readonly words: string }
  /** The request certainly never left, or the platform's rate limit rejected it. */
  | { readonly kind: "not-sent" }
  /** The example file of the template's header cannot be used, so nothing was sent. */
  | { readonly kind: "no-sample"; readonly problem: SampleProblem }
  /** It is not known whether the platform accepted the template. */
  | { readonly kind: "unknown" };

export type SampleProblem = "unreachable" | "too-large" | "wrong-type";

/** Example files of templates. */
export interface SampleFiles {
  /**
   * Reads the whole file at an https URL. The URL may name a file that this service stores. Rejects only if looking
   * up such a stored file fails.
   *
   * @param limits - the media types that can be used, and the size of the largest usable file in bytes
   */
  read(
    url: string,
    limits: { readonly types: readonly string[]; readonly mostBytes: number },
  ): Promise<{ readonly name: string; readonly type: string; readonly bytes: Uint8Array } | SampleProblem>;
}

/** The platform's review of templates. */
export interface TemplateApproval {
  /** All templates of the account. Rejects with `PlatformUnavailable`. */
  review(sender: Sender): Promise<readonly ReviewedTemplate[]>;
  /** Submits an edited template if `platformId` is set, else a new one. If the call rejects, nothing was submitted. */
  submit(
    sender: Sender,
    template: { readonly name: string; readonly structure: object; readonly platformId: string | null },
  ): Promise<SubmitOutcome>;
}

/** The platform's templates of one name, from a short-lived cache. */
export interface CachedTemplates {
  /** Rejects with `PlatformUnavailable`. */
  named(sender: Sender, name: string): Promise<PlatformTemplate[]>;
}

/** A template with all fields that a list shows. */
export interface TemplateRecord extends Template {
  readonly buttons: string | null;
  readonly code: string | null;
  readonly allowedAgents: string | null;
  readonly contactVariables: readonly number[] | null;
  readonly articles: string | null;
  readonly businessId: number;
  readonly version: string | null;
  /** The stored flag; null for older templates. */
  readonly createdByAi: boolean | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface TemplateListing {
  /** The language that the business prefers for templates that have no language. */
  readonly preferredLanguage: string;
  /** Null if the business has no number at the platform. */
  readonly sender: Sender | null;
  readonly templates: readonly TemplateRecord[];
}

export interface TemplateCatalog {
  /** The templates that the user may see, ordered by id, at most 6,000; null if the business has no such user. */
  listing(businessId: number, userId: number): Promise<TemplateListing | null>;
}
