import { bySystem } from "../../kernel/audit.ts";
import type { AppKeyStore, KeyOwners, KeyUnitOfWork, StoredKey } from "./ports.ts";
import { shownKey } from "./shown-key.ts";

export class RevokeAppKeys {
  constructor(
    private readonly owners: KeyOwners,
    private readonly unitOfWork: KeyUnitOfWork,
  ) {}

  /** Revokes every key of the business with this label. Returns how many it revoked. */
  async labelled(businessId: number, label: string): Promise<number> {
    return (await this.noted(businessId, (keys) => keys.revoke(businessId, label))).length;
  }

  /** Revokes one key. Returns its business; null if the key is unknown or already revoked. */
  async one(key: string): Promise<number | null> {
    const businessId = await this.owners.ownerOf(key);
    if (businessId === null) return null;
    const revoked = await this.noted(businessId, (keys) => keys.revokeKey(businessId, key));
    return revoked.length === 0 ? null : businessId;
  }

  private noted(
    businessId: number,
    revoke: (keys: AppKeyStore) => Promise<readonly StoredKey[]>,
  ): Promise<readonly StoredKey[]> {
    return this.unitOfWork.run(businessId, async ({ keys, note }) => {
      const revoked = await revoke(keys);
      const entry = { resource: "app-keys", change: "removed" } as const;
      await note(
        businessId,
        bySystem,
        revoked.map((key) => ({ ...entry, recordId: key.id, before: shownKey(key), after: null })),
      );
      return revoked;
    });
  }
}
