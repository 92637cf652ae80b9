import { addTexts } from "../app/i18n.ts";
import { en } from "./thread-texts-en.ts";
import { es } from "./thread-texts-es.ts";
import { pt } from "./thread-texts-pt.ts";

export type { ThreadTexts } from "./thread-texts-es.ts";

addTexts("thread", { es, en, pt });
