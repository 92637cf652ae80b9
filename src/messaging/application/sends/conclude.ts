import { PlatformUnreachable, SendRefused, SendUncertain } from "../../domain/failures.ts";
import type { SendOutcome } from "../../domain/platform.ts";
import type { OutboxEntry } from "../ports.ts";

const mostAttempts = 2;

/**
 * Writes down what came of a message and gives the platform's id of it; rejects when it was not accepted. An accepted
 * message that could not be written down either is uncertain: its delivery status settles it, and whoever sent it
 * must not take it for one that failed.
 */
export async function conclude(
  entry: Pick<OutboxEntry, "settle">,
  outcome: SendOutcome,
  onFailure: (error: unknown) => void,
): Promise<string> {
  const isWrittenDown = await writtenDown(entry, outcome, onFailure);
  if (outcome.kind === "refused") throw new SendRefused(`${outcome.refusal.code}: ${outcome.refusal.reason}`);
  if (outcome.kind === "not-sent") throw new PlatformUnreachable(outcome.reason);
  if (outcome.kind === "unknown") throw new SendUncertain(outcome.reason);
  if (!isWrittenDown) throw new SendUncertain("accepted, but not written down");
  return outcome.platformMessageId;
}

async function writtenDown(
  entry: Pick<OutboxEntry, "settle">,
  outcome: SendOutcome,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    try {
      await entry.settle(outcome);
      return true;
    } catch (error) {
      onFailure(error);
    }
  }
  return false;
}
