import { i18n } from "./i18n.ts";

/** The parent of menus, dialogs and notices. It is a landmark, so that screen readers can jump to it. */
export const layers = document.createElement("div");
layers.setAttribute("role", "region");
document.body.append(layers);

const name = (): void => layers.setAttribute("aria-label", i18n.t("panel.layers"));
i18n.on("initialized", name);
i18n.on("languageChanged", name);
name();
