import type { Matching } from "../../domain/records.ts";

export interface QuickReply {
  readonly name: string;
  /** With placeholders like `{{contacto.nombre}}`. */
  readonly text: string;
  readonly mediaUrl: string | null;
}

export const quickReplyMatching: Matching<QuickReply> = { by: ["name"] };
