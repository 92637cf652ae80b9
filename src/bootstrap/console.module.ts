import { fileURLToPath } from "node:url";
import { ContainerModule } from "inversify";
import { versionRoute } from "../infra/http/console.ts";
import { version } from "./documents.ts";
import { provide } from "./provide.ts";

/** The built web application, relative to the sources or to the compiled files. */
export const consoleBuild = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../console/dist" : "../../../console/dist", import.meta.url),
);

export const consoleModule = new ContainerModule(({ bind }) => {
  provide(bind, "routes", [], () => [versionRoute(consoleBuild, version)]);
});
