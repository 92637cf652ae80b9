import type { Knex } from "knex";

/** An archived step does not prevent its department from being deleted, and then has none. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table steps drop constraint steps_business_id_department_id_fkey;
    alter table steps
      add constraint steps_business_id_department_id_fkey foreign key (business_id, department_id) references departments
        on delete set null (department_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table steps
      drop constraint steps_business_id_department_id_fkey,
      add constraint steps_business_id_department_id_fkey foreign key (business_id, department_id) references departments;
  `);
}
