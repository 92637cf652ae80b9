import type { ProvenSender } from "../../inbox/public.ts";
import { sameText } from "../../infra/http/same-text.ts";
import { idIn } from "../../kernel/ids.ts";
import type { OwnedInstance } from "../../messaging/public.ts";
import type { InstanceSecrets } from "../channel.ts";

/** The bearer token of the provider's webhooks: the ids of the instance's owner, and the instance's secret. */
export const instanceBearer = (secrets: InstanceSecrets, instance: OwnedInstance): string =>
  `${instance.businessId}.${instance.senderId}.${secrets.instanceSecret(instance)}`;

/**
 * Checks an `Authorization` header; null if it proves nothing. The header names the owner, so the check needs no
 * look-up. `owner` is null for a secret of the older form, which is derived from the instance's name alone.
 */
export function provenBy(secrets: InstanceSecrets, authorization: string, platformId: string): ProvenSender | null {
  const [, business, sender] = /^Bearer (\d{1,16})\.(\d{1,16})\.[\w-]+$/.exec(authorization) ?? [];
  const [businessId, senderId] = [idIn(business), idIn(sender)];
  if (businessId === null || senderId === null) {
    const expected = `Bearer ${secrets.instanceNameSecret(platformId)}`;
    return sameText(authorization, expected) ? { platformId, owner: null } : null;
  }
  const expected = `Bearer ${instanceBearer(secrets, { businessId, senderId, platformId })}`;
  return sameText(authorization, expected) ? { platformId, owner: { businessId, senderId } } : null;
}
