import { NoSuchBusiness } from "../domain/access.ts";
import type { AppKeyStore, NewToken } from "./ports.ts";

export class IssueAppKey {
  constructor(
    private readonly keys: AppKeyStore,
    private readonly newToken: NewToken,
  ) {}

  /** The new key, shown once; only its digest is stored. Rejects with `NoSuchBusiness`. */
  async execute(businessId: number, label: string): Promise<string> {
    const key = this.newToken("rk");
    if (!(await this.keys.add(businessId, key, label))) throw new NoSuchBusiness(`there is no business ${businessId}`);
    return key;
  }
}
