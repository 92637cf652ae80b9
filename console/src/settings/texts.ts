import { addTexts } from "../app/i18n.ts";

const es = {
  title: "Ajustes",
};

export type SettingsTexts = typeof es;

const en: SettingsTexts = {
  title: "Settings",
};

const pt: SettingsTexts = {
  title: "Configurações",
};

addTexts("settings", { es, en, pt });
