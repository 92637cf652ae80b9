import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { sandboxAccountsOf, sandboxAdAccountsOf, sandboxSendersOf } from "../fixtures/businesses/platforms.ts";
import type { SandboxTemplate } from "../sandbox/sandbox.ts";

/** By business. */
export type SubmittedTemplates = ReadonlyMap<number, readonly SandboxTemplate[]>;

/**
 * What the stand-ins know of the businesses.
 * @param submitted - to the stand-ins of earlier starts, which kept nothing
 * @param service - where it is reached
 */
export const knownOf = (businesses: readonly BusinessFixture[], submitted: SubmittedTemplates, service: string) => ({
  accounts: sandboxAccountsOf(businesses).map((account, index) => ({
    ...account,
    templates: [...account.templates, ...(submitted.get(businesses[index]?.id ?? 0) ?? [])],
    // The demo's conversations are alive, whenever it was seeded.
    people: businesses[index]?.threads.map(({ phone }) => phone),
  })),
  ...sandboxSendersOf(businesses, service),
  adAccounts: sandboxAdAccountsOf(businesses),
});
