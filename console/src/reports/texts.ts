import { addTexts } from "../app/i18n.ts";

const es = {
  title: "Informes",
};

export type ReportsTexts = typeof es;

const en: ReportsTexts = {
  title: "Reports",
};

const pt: ReportsTexts = {
  title: "Relatórios",
};

addTexts("reports", { es, en, pt });
