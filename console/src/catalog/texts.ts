import { addTexts } from "../app/i18n.ts";
import { en } from "./texts-en.ts";
import { es } from "./texts-es.ts";
import { pt } from "./texts-pt.ts";

export type { CatalogTexts } from "./texts-es.ts";

addTexts("catalog", { es, en, pt });
