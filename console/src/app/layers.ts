import { i18n } from "./i18n.ts";

/** Holds what lies over the page: menus, dialogs, notices. A landmark, since screen readers jump from one to the next. */
export const layers = document.createElement("div");
layers.setAttribute("role", "region");
document.body.append(layers);

const name = (): void => layers.setAttribute("aria-label", i18n.t("panel.layers"));
i18n.on("initialized", name);
i18n.on("languageChanged", name);
name();
