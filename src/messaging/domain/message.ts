import { smsChannel } from "../../kernel/channels.ts";
import type { Media } from "./template.ts";

/** The content of a message, in every form that a channel may need. */
export interface MessageContent {
  /** The message's text or caption. With `template`, it is the template's text with its placeholders filled. */
  readonly text: string;
  readonly template?: {
    readonly name: string;
    readonly language: string;
    /** Texts for {{1}}, {{2}}, ... of the body, in order. */
    readonly parameters: readonly string[];
    /** The placeholders' names in the order of the parameters; empty if the placeholders are numbered. */
    readonly parameterNames?: readonly string[];
    /** A button copies the first parameter, which is a one-time code. */
    readonly copiesCode?: boolean;
    /** The template's id at ProviderB; null if it is not registered there. */
    readonly providerBId: string | null;
  };
  readonly media?: Media;
}

/** The message's kind in its chat: `sms` on the SMS channel, else the cloud platform's name for the content. */
export function kindOf({ template, media }: MessageContent, channel?: string): string {
  if (channel === smsChannel) return "sms";
  return template ? "template" : (media?.type ?? "text");
}
