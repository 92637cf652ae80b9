import type { Knex } from "knex";

/**
 * A business can change its currency, so each base amount gets its currency: for existing ones, that of the business
 * now.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- What a feature flag names that is no currency counts as none.
    create function base_currency(flags jsonb) returns bpchar language sql immutable parallel safe as $$
      select case when flags ->> 'currency' ~ '^[A-Z]{3}$' then flags ->> 'currency' else 'BOB' end::bpchar
    $$;

    alter table registrations
      add column base_currency char(3) not null default 'BOB';
    alter table registrations add constraint registrations_base_currency_check check (base_currency ~ '^[A-Z]{3}$');
    alter table report_days add column currency char(3) not null default 'BOB';
    alter table report_progress add column currency char(3) not null default 'BOB';
    -- Nothing that is counted changes by this.
    alter table registrations disable trigger registrations_changed;
    ${["registrations", "report_days", "report_progress"].map(ofItsBusiness).join("")}
    alter table registrations enable trigger registrations_changed;
    create index registrations_by_base_currency on registrations (business_id, base_currency);
  `);
}

function ofItsBusiness(table: string): string {
  const column = table === "registrations" ? "base_currency" : "currency";
  return `
    update ${table} set ${column} = base_currency(feature_flags) from businesses
    where businesses.id = business_id and base_currency(feature_flags) <> 'BOB';`;
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table report_progress drop column currency;
    alter table report_days drop column currency;
    alter table registrations drop column base_currency;
    drop function base_currency;
  `);
}
