import { emailPattern } from "../kernel/text.ts";
import { runCommand, settingOf } from "./command.ts";
import { withService } from "./container.ts";

/** Creates a business with its first administrator. Prints the ids and the password, which is not shown again. */
await runCommand(async () => {
  const [name, email] = [settingOf("NAME", "Mi negocio"), settingOf("ADMIN", "ana@example.com")];
  if (!new RegExp(`^${emailPattern}$`).test(email)) throw new Error("ADMIN must be an e-mail address: ana@example.com");
  const made = await withService("createBusiness", (businesses) => businesses.execute(name, email));
  console.log(`business ${made.businessId}`);
  console.log(`administrator ${made.userId} ${email}`);
  console.log(`password ${made.password}`);
});
