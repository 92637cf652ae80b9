import type { AdAccount } from "../domain/ads.ts";
import { accessOf, shownOr } from "./access.ts";
import type { AdCredentials, AdPlatform } from "./ports.ts";

/** Lists the ad accounts that the business's token gives access to. */
export class ListAccounts {
  constructor(
    private readonly credentials: AdCredentials,
    private readonly platform: Pick<AdPlatform, "accounts">,
  ) {}

  async execute(businessId: number): Promise<readonly AdAccount[]> {
    const { access } = await accessOf(this.credentials, businessId);
    return await shownOr(this.platform.accounts(access), []);
  }
}
