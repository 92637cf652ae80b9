import type { PlatformTemplate, SendOutcome } from "../domain/platform.ts";

/** A number of a business at the messaging platform, with what it takes to speak for it. */
export interface PlatformAccount {
  /** The platform's id of the number that messages leave from. */
  readonly phoneNumberId: string;
  /** The platform's id of the business account that owns the templates. */
  readonly accountId: string;
  readonly accessToken: string;
}

export interface TemplateMessage {
  /** Digits only. */
  readonly to: string;
  readonly templateName: string;
  readonly language: string;
  /** Texts for {{1}}, {{2}}, ... of the body, in order. */
  readonly parameters: readonly string[];
  readonly headerMedia?: { readonly type: "image" | "document" | "video"; readonly link: string };
  /** Opaque to the platform; comes back in every delivery status of this message. */
  readonly reference: string;
}

export interface MessagingPlatform {
  /** Makes exactly one request, never retries, and never rejects: whatever happens is an outcome. */
  sendTemplate(account: PlatformAccount, message: TemplateMessage): Promise<SendOutcome>;
  /** Reads every page. Rejects with `PlatformUnavailable` when any page cannot be read. */
  listTemplates(account: PlatformAccount, filter?: { readonly name?: string }): Promise<PlatformTemplate[]>;
}
