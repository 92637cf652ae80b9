import { notifications } from "@mantine/notifications";
import { i18n } from "../app/i18n.ts";

interface Notice {
  readonly title?: string;
  readonly message: string;
  readonly isFailure?: boolean;
}

/** Shows a notification for some seconds. */
export const notice = ({ title, message, isFailure = false }: Notice): void =>
  void notifications.show({
    message,
    ...(title !== undefined && { title }),
    color: isFailure ? "red" : "brand",
    closeButtonProps: { "aria-label": i18n.t("panel.close") },
    // The library's gray has too little contrast.
    styles: { description: { color: "var(--ink)" } },
  });
