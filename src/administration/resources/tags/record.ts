import type { Matching } from "../../domain/records.ts";

export interface Tag {
  readonly name: string;
}

export const tagMatching: Matching<Tag> = { by: ["name"] };
