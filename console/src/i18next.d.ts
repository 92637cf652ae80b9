import type { Texts } from "./texts/es.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Texts };
  }
}
