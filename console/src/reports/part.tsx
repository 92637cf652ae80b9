import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./reports.module.css";

interface PartProps {
  readonly title: string;
  readonly control?: ReactNode;
  /** The share of the width that the chart gets where there is room; with `whole` the table stands below it. */
  readonly chart?: "third" | "half" | "whole";
  /** A chart and its table, beside each other where there is room. */
  readonly children: ReactNode;
}

export function Part({ title, control, chart = "half", children }: PartProps) {
  return (
    <section className={styles.part}>
      <div className={styles.partTop}>
        <Title order={2} size="h4">
          {title}
        </Title>
        {control}
      </div>
      <div className={styles.pair} data-chart={chart}>
        {children}
      </div>
    </section>
  );
}
