import { createInstance } from "i18next";
import { initReactI18next } from "react-i18next";
import { storage } from "../shared/storage.ts";
import { en } from "../texts/en.ts";
import { es } from "../texts/es.ts";
import { pt } from "../texts/pt.ts";

export const languages = { es: "Español", en: "English", pt: "Português" } as const;

export type Language = keyof typeof languages;

const storedAs = "recado.language";
const stored = storage.get(storedAs);

export const i18n = createInstance({
  lng: stored !== null && Object.hasOwn(languages, stored) ? stored : "es",
  fallbackLng: "es",
  resources: { es: { translation: es }, en: { translation: en }, pt: { translation: pt } },
  // React escapes what it shows.
  interpolation: { escapeValue: false },
  initAsync: false,
}).use(initReactI18next);

/** Adds the texts of a screen that is loaded on demand; `useTranslation(screen)` reads them. */
export function addTexts(screen: string, texts: Readonly<Record<Language, object>>): void {
  for (const [language, text] of Object.entries(texts)) i18n.addResourceBundle(language, screen, text);
}

export function switchLanguage(language: Language): void {
  storage.set(storedAs, language);
  void i18n.changeLanguage(language);
}

i18n.on("languageChanged", (language) => {
  document.documentElement.lang = language;
});
void i18n.init();
