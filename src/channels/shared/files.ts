import type { FileAnswer } from "../../inbox/public.ts";
import type { DownloadOutcome, Downloads } from "../../infra/http-client/downloads.ts";
import type { GraphSettings } from "./graph.ts";
import { waitIn } from "./refusals.ts";

export interface FileSettings extends GraphSettings {
  readonly downloads: Pick<Downloads, "open">;
}

/** @param gone - statuses that mean that a retry is useless */
export function fileAnswer(outcome: DownloadOutcome, gone: readonly number[] = [404, 410]): FileAnswer {
  switch (outcome.kind) {
    case "content":
      return outcome;
    case "forbidden":
      return { kind: "gone", reason: outcome.reason };
    case "unreachable":
      return { kind: "later", reason: outcome.reason };
    case "refused": {
      const { status, headers } = outcome;
      const reason = `the platform answered ${status}`;
      if (gone.includes(status)) return { kind: "gone", reason };
      return { kind: "later", reason, ...waitIn(headers) };
    }
  }
}
