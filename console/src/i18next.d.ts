import type { CampaignsTexts } from "./campaigns/texts.ts";
import type { CatalogTexts } from "./catalog/texts.ts";
import type { ConnectionsTexts } from "./connections/texts.ts";
import type { ContactsTexts } from "./contacts/texts-es.ts";
import type { InboxTexts } from "./inbox/inbox-texts.ts";
import type { ThreadTexts } from "./inbox/thread-texts.ts";
import type { OrdersTexts } from "./orders/texts.ts";
import type { PeopleTexts } from "./people/texts.ts";
import type { ReportsTexts } from "./reports/texts.ts";
import type { CsvTexts } from "./settings/csv-texts.ts";
import type { SettingsTexts } from "./settings/texts.ts";
import type { DayTexts } from "./shared/day-texts.ts";
import type { StepsTexts } from "./steps/texts.ts";
import type { Texts } from "./texts/es.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: {
      translation: Texts;
      inbox: InboxTexts;
      orders: OrdersTexts;
      campaigns: CampaignsTexts;
      catalog: CatalogTexts;
      csv: CsvTexts;
      connections: ConnectionsTexts;
      contacts: ContactsTexts;
      day: DayTexts;
      people: PeopleTexts;
      reports: ReportsTexts;
      settings: SettingsTexts;
      steps: StepsTexts;
      thread: ThreadTexts;
    };
  }
}
