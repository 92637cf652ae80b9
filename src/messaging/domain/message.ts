import { smsChannel } from "../../kernel/channels.ts";
import type { Media } from "./template.ts";

/** What a message says, in every form that a channel may want it in. */
export interface MessageContent {
  /** As the customer reads it, placeholders filled: for channels that know no templates. */
  readonly text: string;
  readonly template?: {
    readonly name: string;
    readonly language: string;
    /** Texts for {{1}}, {{2}}, ... of the body, in order. */
    readonly parameters: readonly string[];
    /** Where the placeholders have names instead, these, in the order of the parameters. */
    readonly parameterNames?: readonly string[];
    /** Its name at ProviderB, where it is registered there. */
    readonly providerBId: string | null;
  };
  readonly media?: Media;
}

/** What its chat calls it: the cloud platform's words on every channel, but for `sms`. */
export function kindOf({ template, media }: MessageContent, channel?: string): string {
  if (channel === smsChannel) return "sms";
  return template ? "template" : (media?.type ?? "text");
}
