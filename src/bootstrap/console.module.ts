import { fileURLToPath } from "node:url";
import { ContainerModule } from "inversify";
import { versionRoute } from "../infra/http/console.ts";
import { version } from "./documents.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** The build of the web application, as seen from the sources and from what is compiled of them. */
export const consoleBuild = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../console/dist" : "../../../console/dist", import.meta.url),
);

export const consoleModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.routes, [], () => [versionRoute(consoleBuild, version)]);
});
