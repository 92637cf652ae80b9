import type { Knex } from "knex";

/** Messages can be edited by their authors. The old text is not stored. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- By the platform's clock: when the text was edited last.
    alter table messages add column edited_at timestamptz;
    alter table early_news
      -- What an edit makes of the text.
      add column body text not null default '';
    alter table early_news drop constraint early_news_kind_check;
    alter table early_news
      add constraint early_news_kind_check check (kind in ('reaction', 'withdrawal', 'reply', 'edit', 'own edit'));
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from early_news where kind in ('edit', 'own edit');
    alter table early_news
      drop column body,
      drop constraint early_news_kind_check,
      add constraint early_news_kind_check check (kind in ('reaction', 'withdrawal', 'reply'));
    alter table messages drop column edited_at;
  `);
}
