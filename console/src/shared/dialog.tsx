import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import styles from "./panel.module.css";
import type { PanelProps } from "./panel.tsx";
import { useIsTopmost } from "./use-is-topmost.ts";

interface DialogProps extends PanelProps {
  readonly opened: boolean;
}

/** A dialog in the middle of the screen, for short contents such as a question. */
export function Dialog({ title, onClose, children, opened, size = 440 }: DialogProps) {
  const { t } = useTranslation();
  const isTopmost = useIsTopmost(opened);
  return (
    <Modal.Root opened={opened} onClose={() => isTopmost() && onClose()} size={size} centered>
      <Modal.Overlay />
      <Modal.Content>
        <div className={styles.header}>
          <Modal.Title className={styles.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t("panel.close")} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
