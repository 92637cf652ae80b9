import { addTexts } from "../app/i18n.ts";

const es = {
  title: "Campañas",
};

export type CampaignsTexts = typeof es;

const en: CampaignsTexts = {
  title: "Campaigns",
};

const pt: CampaignsTexts = {
  title: "Campanhas",
};

addTexts("campaigns", { es, en, pt });
