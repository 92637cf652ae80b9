import type { Knex } from "knex";

const texts = {
  ad_credentials: ["default_account_id"],
  articles: ["retailer_id"],
  departments: ["out_of_hours_message"],
  drivers: ["phone", "tracking_id"],
  senders: ["name"],
  steps: [...["media", "media_type", "description", "options_title"], ...["maps_search", "initiator", "flow_id"]],
  templates: ["buttons", "code", "file_name", "articles", "provider_b_id", "version"],
  webhooks: ["description"],
} as const;
const flags = ["ad_account_for_report", "template_language", "tax_id_label"] as const;

/** An optional text that is empty becomes null: otherwise two articles without a code have the same code. */
export async function up(db: Knex): Promise<void> {
  for (const [table, columns] of Object.entries(texts)) {
    await db.raw(`
      update ${table}
      set ${columns.map((column) => `${column} = nullif(${column}, '')`).join(", ")}, record_version = record_version + 1
      where '' in (${columns.join(", ")})
    `);
  }
  const emptied = flags.map((flag) => `case when feature_flags ->> '${flag}' = '' then '${flag}' end`);
  await db.raw(`
    update businesses set
      feature_flags = feature_flags - array_remove(array[${emptied.join(", ")}]::text[], null),
      record_version = record_version + 1
    where '' in (${flags.map((flag) => `feature_flags ->> '${flag}'`).join(", ")})
  `);
}

/** The previous version treats null like an empty text. */
export async function down(): Promise<void> {}
