import { bySystem } from "../../kernel/audit.ts";
import { administratorRole } from "../../kernel/ids.ts";
import type { BusinessNumbers, BusinessUnitOfWork, NewToken, PasswordHashing } from "./ports.ts";

interface CreatedBusiness {
  readonly businessId: number;
  readonly userId: number;
  /** The administrator's password; shown once, only its hash is stored. */
  readonly password: string;
}

export class CreateBusiness {
  constructor(
    private readonly numbers: BusinessNumbers,
    private readonly unitOfWork: BusinessUnitOfWork,
    private readonly passwords: Pick<PasswordHashing, "hash">,
    private readonly newToken: NewToken,
  ) {}

  /** Rejects with `EmailTaken` if another user has the e-mail. */
  async execute(name: string, email: string): Promise<CreatedBusiness> {
    const password = this.newToken("pw");
    const passwordHash = await this.passwords.hash(password);
    const businessId = await this.numbers.next();
    const userId = await this.unitOfWork.run(businessId, async ({ businesses, note }) => {
      const userId = await businesses.create({ businessId, name, email, passwordHash });
      const made = { change: "created", before: null } as const;
      const administrator = { name: email, email: email.toLowerCase(), roleId: administratorRole, active: true };
      await note(businessId, bySystem, [
        { ...made, resource: "business", recordId: businessId, after: { name } },
        { ...made, resource: "users", recordId: userId, after: administrator },
      ]);
      return userId;
    });
    return { businessId, userId, password };
  }
}
