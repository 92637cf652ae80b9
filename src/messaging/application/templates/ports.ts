import type { PlatformTemplate } from "../../domain/platform.ts";
import type { Template } from "../../domain/template.ts";
import type { Sender } from "../sends/ports.ts";

export interface MessagingPlatform {
  /**
   * The templates of the account that owns the sender, from every page. Rejects with `PlatformUnavailable` when any
   * page cannot be read.
   */
  listTemplates(sender: Sender, filter?: { readonly name?: string }): Promise<PlatformTemplate[]>;
}

/** A template as the platform has it, whole. */
export interface ReviewedTemplate {
  readonly platformId: string;
  readonly name: string;
  readonly language: string;
  /** The platform's own word. */
  readonly status: string;
  readonly reason: string | null;
  readonly category: string | null;
  readonly components: readonly object[];
}

export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly platformId: string | null; readonly status: string }
  /** In the platform's words. */
  | { readonly kind: "refused"; readonly words: string }
  /** Proven never to have left, or turned away for a rate. */
  | { readonly kind: "not-sent" }
  /** It may have been taken or not. */
  | { readonly kind: "unknown" };

/** Where templates are approved. */
export interface TemplateApproval {
  /** All of the account's. Rejects with `PlatformUnavailable`. */
  review(sender: Sender): Promise<readonly ReviewedTemplate[]>;
  /** A new one or, with its id at the platform, a changed one. Never rejects. */
  submit(
    sender: Sender,
    template: { readonly name: string; readonly structure: object; readonly platformId: string | null },
  ): Promise<SubmitOutcome>;
}

/** What the platform knows under one template name, remembered for a short while. */
export interface KnownTemplates {
  /** Rejects with `PlatformUnavailable`. */
  named(sender: Sender, name: string): Promise<PlatformTemplate[]>;
}

/** A template with everything a list shows. Timestamps in UTC. */
export interface TemplateRecord extends Template {
  readonly buttons: string | null;
  readonly code: string | null;
  readonly allowedAgents: string | null;
  readonly contactVariables: readonly number[] | null;
  readonly articles: string | null;
  readonly businessId: number;
  readonly version: string | null;
  /** The stored flag; older templates have none. */
  readonly createdByAi: boolean | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface TemplateListing {
  /** The language the business prefers for templates that name none. */
  readonly preferredLanguage: string;
  /** `null` when the business has no number at the platform. */
  readonly sender: Sender | null;
  readonly templates: readonly TemplateRecord[];
}

export interface TemplateCatalog {
  /** The templates that the user may see, by id, at most 6,000; `null` when the business has no such user. */
  listing(businessId: number, userId: number): Promise<TemplateListing | null>;
}
