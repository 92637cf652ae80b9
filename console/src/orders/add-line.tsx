import { Button } from "@mantine/core";
import type { ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { LinePicker } from "./line-picker.tsx";

interface AddLineProps extends Omit<ComponentProps<typeof LinePicker>, "onCancel"> {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

export function AddLine({ isOpen, onOpen, ...picker }: AddLineProps) {
  const { t } = useTranslation("orders");
  if (isOpen) return <LinePicker {...picker} onCancel={() => onOpen(false)} />;
  return (
    <Button mt="xs" size="sm" variant="light" leftSection={<Icon name="plus" size={16} />} onClick={() => onOpen(true)}>
      {t("addLine")}
    </Button>
  );
}
