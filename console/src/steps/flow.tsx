import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type KeyboardEvent, memo, useEffect, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import styles from "./flow.module.css";
import { graphOf, type LinkKind } from "./flow-graph.ts";
import { type Box, type Layout, layoutOf, linesOf, nodeHeight, nodeWidth } from "./flow-layout.ts";
import { useFlowView } from "./flow-view.ts";
import type { Step } from "./steps.ts";
import { typeIcons, useStepWords } from "./words.ts";

interface FlowProps {
  readonly steps: readonly Step[];
  /** The selected step. */
  readonly current: number | null;
  readonly isMatch: (step: Step) => boolean;
  readonly onOpen: (id: number) => void;
}

const zoomStep = 1.25;
const panStep = 60;

/** The flow as a diagram. `StepTree` shows the same steps as text. */
export function Flow({ steps, current, isMatch, onOpen }: FlowProps) {
  const { t } = useTranslation("steps");
  const frame = useRef<HTMLDivElement>(null);
  const hint = useId();
  const isNarrow = useMediaQuery("(max-width: 599px)", undefined, { getInitialValueInEffect: false });
  const layout = useMemo(() => fitting(steps, isNarrow === true), [steps, isNarrow]);
  const { view, zoom, pan, fit, show, drag } = useFlowView(frame, layout);
  const [focused, setFocused] = useState<number | null>(null);
  // `Drawn` keeps the callbacks of an earlier rendering. Through this ref they call the newest `onOpen`.
  const opening = useRef(onOpen);
  useEffect(() => {
    opening.current = onOpen;
  }, [onOpen]);
  const entry = layout.boxes.find(({ step }) => step.id === (focused ?? current)) ?? layout.boxes[0];

  useEffect(() => {
    const box = layout.boxes.find(({ step }) => step.id === current);
    if (box) show(box);
  }, [current, layout, show]);

  useEffect(() => {
    const found = layout.boxes.filter(({ step }) => isMatch(step));
    const [first] = found;
    // Without a search all steps match.
    if (first && found.length < layout.boxes.length) show(first);
  }, [isMatch, layout, show]);

  const go = (box: Box | undefined): void => {
    if (!box) return;
    setFocused(box.step.id);
    show(box);
    frame.current?.querySelector<SVGElement>(`[data-step="${box.step.id}"]`)?.focus({ preventScroll: true });
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key as keyof typeof arrows];
    if (arrow && event.shiftKey) pan(-arrow[0] * panStep, -arrow[1] * panStep);
    else if (arrow && entry) go(nextTo(layout, entry, arrow));
    else if (event.key === "+") zoom(zoomStep);
    else if (event.key === "-") zoom(1 / zoomStep);
    else if (event.key === "0") fit();
    else if ((event.key === "Enter" || event.key === " ") && entry) onOpen(entry.step.id);
    else return;
    event.preventDefault();
  };
  return (
    <section aria-label={t("flow.title")} className={styles.flow}>
      <div
        ref={frame}
        className={styles.frame}
        {...{ onPointerDown: drag.onPointerDown, onPointerMove: drag.onPointerMove }}
        {...{ onPointerUp: drag.onPointerUp, onPointerCancel: drag.onPointerCancel }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a picture has no fieldsets. */}
        <svg
          role="group"
          aria-label={t("flow.picture")}
          aria-describedby={hint}
          className={styles.picture}
          onKeyDown={press}
        >
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            <Drawn
              layout={layout}
              current={current}
              entry={entry?.step.id ?? null}
              isMatch={isMatch}
              onOpen={(id) => !drag.hasMoved() && opening.current(id)}
              onFocus={setFocused}
            />
          </g>
        </svg>
        <div className={styles.tools}>
          <ActionIcon variant="default" size="lg" aria-label={t("flow.larger")} onClick={() => zoom(zoomStep)}>
            <Icon name="plus" size={18} />
          </ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("flow.smaller")} onClick={() => zoom(1 / zoomStep)}>
            <Icon name="minus" size={18} />
          </ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t("flow.fit")} onClick={fit}>
            <Icon name="whole" size={18} />
          </ActionIcon>
        </div>
      </div>
      <Legend layout={layout} />
      <VisuallyHidden id={hint}>{t("flow.keys")}</VisuallyHidden>
    </section>
  );
}

/** A flow runs to the right. On a narrow screen, `longestSide` decides whether the flow runs downwards instead. */
function fitting(steps: readonly Step[], isNarrow: boolean): Layout {
  const graph = graphOf(steps);
  const right = layoutOf(graph, false);
  if (!isNarrow) return right;
  const down = layoutOf(graph, true);
  return longestSide(down) <= longestSide(right) ? down : right;
}

const longestSide = ({ width, height }: Layout): number => Math.max(width, height);

const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] } as const;

/** The nearest box in a direction. The distance to the side counts twice. */
function nextTo({ boxes }: Layout, from: Box, [right, down]: readonly [number, number]): Box | undefined {
  let best: Box | undefined;
  let shortest = Number.POSITIVE_INFINITY;
  for (const box of boxes) {
    const [x, y] = [box.x - from.x, box.y - from.y];
    const ahead = x * right + y * down;
    const aside = Math.abs(right === 0 ? x : y);
    if (ahead > 1 && ahead + aside * 2 < shortest) {
      best = box;
      shortest = ahead + aside * 2;
    }
  }
  return best;
}

const kindOf = ({ kind, isBack }: { kind: LinkKind; isBack: boolean }) => (isBack ? "back" : kind);
const kinds = ["answer", "next", "back"] as const;

function Legend({ layout: { lines } }: { readonly layout: Layout }) {
  const { t } = useTranslation("steps");
  const shown = kinds.filter((kind) => lines.some(({ link }) => kindOf(link) === kind));
  return (
    <ul className={styles.legend}>
      {shown.map((kind) => (
        <li key={kind}>
          <svg width="30" height="10" aria-hidden="true">
            <path d="M1 5H29" className={styles.line} data-kind={kind} />
          </svg>
          {t(`flow.kinds.${kind}`)}
        </li>
      ))}
    </ul>
  );
}

interface DrawnProps {
  readonly layout: Layout;
  readonly current: number | null;
  /** The step that gets the focus by Tab. */
  readonly entry: number | null;
  readonly isMatch: (step: Step) => boolean;
  readonly onOpen: (id: number) => void;
  readonly onFocus: (id: number) => void;
}

/** Memoized, so that panning does not render all boxes and lines again. */
const Drawn = memo(
  function Drawn({ layout, current, entry, isMatch, onOpen, onFocus }: DrawnProps) {
    const arrow = useId();
    return (
      <>
        <defs>
          {kinds.map((kind) => (
            <marker
              key={kind}
              id={`${arrow}${kind}`}
              {...{ viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9 }}
              {...{ markerUnits: "userSpaceOnUse", orient: "auto" }}
            >
              <path d="M0 0L8 4L0 8z" className={styles.arrow} data-kind={kind} />
            </marker>
          ))}
        </defs>
        {layout.lines.map(({ link, path }) => (
          <path
            key={`${link.from} ${link.to}`}
            d={path}
            className={styles.line}
            data-kind={kindOf(link)}
            data-link={`${link.from} ${link.to}`}
            data-current={link.from === current || link.to === current || undefined}
            markerEnd={`url(#${arrow}${kindOf(link)})`}
          />
        ))}
        {layout.boxes.map((box) => (
          <Node
            key={box.step.id}
            box={box}
            isDown={layout.isDown}
            isCurrent={box.step.id === current}
            isEntry={box.step.id === entry}
            isFaint={!isMatch(box.step)}
            {...{ onOpen, onFocus }}
          />
        ))}
      </>
    );
  },
  (before, now) =>
    before.layout === now.layout &&
    before.current === now.current &&
    before.entry === now.entry &&
    before.isMatch === now.isMatch,
);

interface NodeProps {
  readonly box: Box;
  readonly isDown: boolean;
  readonly isCurrent: boolean;
  readonly isEntry: boolean;
  readonly isFaint: boolean;
  readonly onOpen: (id: number) => void;
  readonly onFocus: (id: number) => void;
}

/** Characters per line of a box. */
const longestLine = 21;
const longestLabel = { right: 15, down: 18 } as const;

function Node({ box: { step, x, y }, isDown, isCurrent, isEntry, isFaint, onOpen, onFocus }: NodeProps) {
  const { t } = useTranslation("steps");
  const { type, summary } = useStepWords();
  const lines = linesOf(step.nombre, 2, longestLine);
  const label =
    step.paso_id !== null && step.iniciador
      ? linesOf(step.iniciador, 1, longestLabel[isDown ? "down" : "right"])[0]
      : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG has no buttons. The keys are heard by the picture.
    <g
      role="button"
      tabIndex={isEntry ? 0 : -1}
      aria-current={isCurrent || undefined}
      data-step={step.id}
      data-type={step.tipo}
      data-faint={isFaint || undefined}
      className={styles.node}
      transform={`translate(${x} ${y})`}
      onClick={() => onOpen(step.id)}
      onFocus={() => onFocus(step.id)}
    >
      <title>{summary(step)}</title>
      {label && (
        <text
          className={styles.label}
          {...(isDown ? { x: nodeWidth / 2 + 8, y: -10 } : { x: -8, y: nodeHeight / 2 - 7, textAnchor: "end" })}
        >
          {label}
        </text>
      )}
      <rect width={nodeWidth} height={nodeHeight} rx="10" className={styles.box} />
      <rect width="4" height={nodeHeight - 20} x="0" y="10" rx="2" className={styles.edge} />
      <g transform="translate(13 8)" className={styles.type}>
        <Icon name={typeIcons[step.tipo]} size={13} />
        <text x="18" y="10.5">
          {type(step)}
        </text>
      </g>
      {step.inicio && (
        <text x={nodeWidth - 12} y="18.5" textAnchor="end" className={styles.begin}>
          {t("start")}
        </text>
      )}
      <text className={styles.name}>
        {lines.map((line, index) => (
          <tspan key={line} x="13" y={(lines.length === 1 ? 42 : 37) + index * 15}>
            {line}
          </tspan>
        ))}
      </text>
    </g>
  );
}
