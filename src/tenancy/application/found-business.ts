import { administratorRole } from "../../kernel/ids.ts";
import type { BusinessStore, NewToken } from "./ports.ts";

export interface FoundedBusiness {
  readonly businessId: number;
  readonly userId: number;
  /** The administrator's password; shown once, only its hash is stored. */
  readonly password: string;
}

/** A new business with its first administrator. */
export class FoundBusiness {
  constructor(
    private readonly businesses: BusinessStore,
    private readonly hash: (password: string) => Promise<string>,
    private readonly newToken: NewToken,
  ) {}

  /** Rejects with `EmailTaken` when somebody has that e-mail already. */
  async execute(name: string, email: string): Promise<FoundedBusiness> {
    const password = this.newToken("pw");
    const passwordHash = await this.hash(password);
    const ids = await this.businesses.found({ name, email, passwordHash, roleId: administratorRole });
    return { ...ids, password };
  }
}
