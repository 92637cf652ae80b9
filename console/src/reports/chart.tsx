import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import styles from "./charts.module.css";

export interface ChartProps {
  /** What it shows, for those who do not see it; the figures stand in a table beside it. */
  readonly label: string;
  readonly categories: readonly string[];
  /** Of the categories where one points at them, when they are longer there. */
  readonly titles?: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
  /** The figure of a category, where not all are written alike. */
  readonly formatAt?: (index: number) => string;
  readonly short: (value: number) => string;
  /** Bars that lie, the first one on top; else they stand, from left to right. */
  readonly isRanked?: boolean;
}

const Canvas = lazy(async () => ({ default: (await import("./chart-canvas.tsx")).ChartCanvas }));

/** Pixels that bars which lie take; those that stand have the height of their styles. */
const heightOf = ({ categories, series }: ChartProps): number =>
  Math.max(110, categories.length * (14 + 22 * series.length) + 40);

export function Chart(props: ChartProps) {
  return (
    <figure className={styles.figure}>
      {props.series.length > 1 && <Legend names={props.series.map(({ name }) => name)} />}
      <div
        role="img"
        aria-label={props.label}
        className={styles.place}
        {...(props.isRanked && { style: { height: heightOf(props) } })}
      >
        <Suspense fallback={<Skeleton height="100%" radius="md" />}>
          <Canvas {...props} />
        </Suspense>
      </div>
    </figure>
  );
}

function Legend({ names }: { readonly names: readonly string[] }) {
  return (
    <figcaption className={styles.legend}>
      {names.map((name, index) => (
        <span key={name} data-series={index}>
          {name}
        </span>
      ))}
    </figcaption>
  );
}
