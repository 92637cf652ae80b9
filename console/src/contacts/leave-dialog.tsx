import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../shared/panel.tsx";

interface LeaveDialogProps {
  readonly opened: boolean;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Before what was typed is lost. */
export function LeaveDialog({ opened, onStay, onLeave }: LeaveDialogProps) {
  const { t } = useTranslation("contacts");
  return (
    <Dialog opened={opened} onClose={onStay} title={t("leave.title")}>
      <Text>{t("leave.lead")}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onLeave}>
          {t("leave.discard")}
        </Button>
        <Button data-autofocus onClick={onStay}>
          {t("leave.stay")}
        </Button>
      </Group>
    </Dialog>
  );
}
