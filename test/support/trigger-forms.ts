import { citusFunctions } from "../../src/infra/postgres/citus-functions.ts";

interface TriggerForm {
  readonly name: string;
  /** The statements that bring a migrated database into this form. */
  readonly functions: readonly string[];
}

/** The functions of triggers as migrations make them, and as they are on Citus. Both must pass the same tests. */
export const triggerForms: readonly TriggerForm[] = [
  { name: "as migrations make them", functions: [] },
  { name: "as on Citus", functions: citusFunctions },
];
