import { fileURLToPath } from "node:url";
import { versionRoute } from "../infra/http/console.ts";
import { version } from "./documents.ts";
import { moduleOf } from "./provide.ts";

/** The built web application, relative to the sources or to the compiled files. */
export const consoleBuild = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../console/dist" : "../../../console/dist", import.meta.url),
);

export const consoleModule = moduleOf(({ provide }) => {
  provide("routes", () => [versionRoute(consoleBuild, version)]);
});
