import { addTexts } from "../app/i18n.ts";
import { en } from "./texts-en.ts";
import { es } from "./texts-es.ts";
import { pt } from "./texts-pt.ts";

export type { StepsTexts } from "./texts-es.ts";

addTexts("steps", { es, en, pt });
