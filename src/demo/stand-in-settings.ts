import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { sandboxAccountsOf, sandboxAdAccountsOf, sandboxSendersOf } from "../fixtures/businesses/platforms.ts";
import type { SandboxTemplate } from "../sandbox/sandbox.ts";

/** By business. */
export type SubmittedTemplates = ReadonlyMap<number, readonly SandboxTemplate[]>;

/**
 * The settings of the stand-ins for these businesses.
 * @param submitted - templates that earlier starts submitted: the stand-ins store nothing
 * @param service - the service's address
 */
export const standInSettings = (
  businesses: readonly BusinessFixture[],
  submitted: SubmittedTemplates,
  service: string,
) => ({
  accounts: sandboxAccountsOf(businesses).map((account, index) => ({
    ...account,
    templates: [...account.templates, ...(submitted.get(businesses[index]?.id ?? 0) ?? [])],
    // All conversations are open, even if the demo was created long ago.
    people: businesses[index]?.threads.map(({ phone }) => phone),
  })),
  ...sandboxSendersOf(businesses, service),
  adAccounts: sandboxAdAccountsOf(businesses),
});
