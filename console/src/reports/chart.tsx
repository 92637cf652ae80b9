import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import { loadPart } from "../shared/load-part.ts";
import type { ChartProps } from "./chart-props.ts";
import styles from "./charts.module.css";

const Canvas = lazy(async () => ({ default: (await loadPart(() => import("./chart-canvas.tsx"))).ChartCanvas }));

/** In pixels, for horizontal bars. Other charts get their height from the styles. */
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
