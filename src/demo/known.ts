import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { sandboxAccountsOf, sandboxAdAccountsOf } from "../fixtures/businesses/platforms.ts";
import { type ChannelName, pageChannel, photoChannel, providerBChannel, qrChannel } from "../kernel/channels.ts";
import { requiredParameters } from "../messaging/domain/template.ts";
import type { SandboxTemplate } from "../sandbox/sandbox.ts";

/** By business. */
export type SubmittedTemplates = ReadonlyMap<number, readonly SandboxTemplate[]>;

/**
 * What the stand-ins know of the businesses.
 * @param submitted - to the stand-ins of earlier starts, which kept nothing
 */
export const knownOf = (businesses: readonly BusinessFixture[], submitted: SubmittedTemplates) => ({
  accounts: sandboxAccountsOf(businesses).map((account, index) => ({
    ...account,
    templates: [...account.templates, ...(submitted.get(businesses[index]?.id ?? 0) ?? [])],
    // The demo's conversations are alive, whenever it was seeded.
    people: businesses[index]?.threads.map(({ phone }) => phone),
  })),
  ...otherPlatforms(businesses),
  adAccounts: sandboxAdAccountsOf(businesses),
});

/** The platforms of the other channels, as the businesses use them. */
function otherPlatforms(businesses: readonly BusinessFixture[]) {
  const onChannel = (channel: ChannelName) =>
    businesses.flatMap((business) =>
      (business.otherSenders ?? [])
        .filter((sender) => sender.channel === channel)
        .map((sender) => ({ ...sender, business })),
    );
  const pages = ([pageChannel, photoChannel] as const).flatMap((channel) =>
    onChannel(channel).map(({ platformId: pageId, token, business }) => ({
      pageId,
      token,
      channel,
      people: business.threads.filter((thread) => thread.channel === channel).map(({ phone }) => phone),
    })),
  );
  const qrInstances = onChannel(qrChannel).map(({ platformId, token }) => ({ instance: platformId, apiKey: token }));
  const providerB = onChannel(providerBChannel).map(({ accountId, token, phone, business }) => ({
    accountId,
    token,
    phone,
    templates: business.templates.flatMap(({ providerBId, body }) =>
      providerBId ? [{ contentId: providerBId, variables: requiredParameters({ structure: null, body }) }] : [],
    ),
  }));
  return { pages, qrInstances, providerB };
}
