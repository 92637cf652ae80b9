import type { ProvenSender } from "../../inbox/public.ts";
import { sameText } from "../../infra/http/same-text.ts";
import { idIn } from "../../kernel/ids.ts";
import type { InstanceSecrets } from "../channel.ts";

/** What the provider of paired phones is given to prove itself with: whose the instance is, and the secret of that. */
export const instanceBearer = (
  secrets: InstanceSecrets,
  instance: { readonly businessId: number; readonly senderId: number; readonly platformId: string },
): string => `${instance.businessId}.${instance.senderId}.${secrets.instanceSecret(instance)}`;

/**
 * Whose instance an `Authorization` header proves it to be; null where it proves nothing. It names its sender itself, so
 * that nothing has to be looked up before it is checked. `owner` is null for a secret of the first form.
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
