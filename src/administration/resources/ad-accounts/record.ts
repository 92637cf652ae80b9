export type { AdAccess } from "../../domain/ad-access.ts";
