import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./reports.module.css";

interface PartProps {
  readonly title: string;
  readonly control?: ReactNode;
  /** The chart's share of the width (`half` is two fifths). With `whole`, the table is below the chart. */
  readonly chart?: "third" | "half" | "whole";
  /** One or two charts and their table. */
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
