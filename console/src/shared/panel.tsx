import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import styles from "./panel.module.css";
import { useIsTopmost } from "./use-is-topmost.ts";

export interface PanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** In pixels; full width on a phone. */
  readonly size?: number;
}

/** A panel at the right edge. It does not use the library's header, which would be a second banner landmark. */
export function Panel({ title, onClose, children, size = 580 }: PanelProps) {
  const { t } = useTranslation();
  const isTopmost = useIsTopmost(true);
  return (
    <Drawer.Root
      opened
      onClose={() => isTopmost() && onClose()}
      position="right"
      size={size}
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Overlay />
      <Drawer.Content>
        <div className={styles.header}>
          <Drawer.Title className={styles.title}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("panel.close")} />
        </div>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
