import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./reports.module.css";

interface PartProps {
  readonly title: string;
  readonly control?: ReactNode;
  /** A chart and its table, beside each other where there is room. */
  readonly children: ReactNode;
}

export function Part({ title, control, children }: PartProps) {
  return (
    <section className={styles.part}>
      <div className={styles.partTop}>
        <Title order={2} size="h4">
          {title}
        </Title>
        {control}
      </div>
      <div className={styles.pair}>{children}</div>
    </section>
  );
}
