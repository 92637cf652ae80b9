export type { Template, TemplateStructure } from "../../domain/template.ts";
