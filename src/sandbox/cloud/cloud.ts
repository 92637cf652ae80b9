import type { Shared } from "../core/accepted.ts";
import type { Webhooks } from "../core/webhooks.ts";
import type { ErrorStatuses } from "../graph/errors.ts";
import type { Accounts } from "./accounts.ts";
import type { Customers } from "./customers.ts";
import type { StatusQueue } from "./statuses.ts";

/** What the platform's routes and its control side share. */
export interface Cloud {
  readonly accounts: Accounts;
  readonly shared: Shared;
  readonly statuses: StatusQueue;
  readonly customers: Customers;
  readonly errorStatuses: ErrorStatuses;
  readonly webhooks: Webhooks;
}
