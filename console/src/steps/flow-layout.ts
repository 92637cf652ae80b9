import { type Graph, grouped, type Link, type Placed } from "./flow-graph.ts";
import type { Step } from "./steps.ts";

/** In pixels. */
export const nodeWidth = 196;
export const nodeHeight = 62;
const gaps = { right: { along: 84, across: 26 }, down: { along: 62, across: 26 } } as const;
const margin = 40;

export interface Box {
  readonly step: Step;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly link: Link;
  readonly path: string;
}

export interface Layout {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
  readonly isDown: boolean;
}

/** Coordinates along and across the flow. */
type Point = readonly [along: number, across: number];

interface Frame {
  readonly isDown: boolean;
  /** The size of a box along the flow, and across it (`breadth`). */
  readonly length: number;
  readonly breadth: number;
  /** The distance between layers, and between slots (`pitch`). */
  readonly stride: number;
  readonly pitch: number;
}

function frameOf(isDown: boolean): Frame {
  const { along, across } = gaps[isDown ? "down" : "right"];
  const [length, breadth] = isDown ? [nodeHeight, nodeWidth] : [nodeWidth, nodeHeight];
  return { isDown, length, breadth, stride: length + along, pitch: breadth + across };
}

export function layoutOf({ nodes, links }: Graph, isDown: boolean): Layout {
  const frame = frameOf(isDown);
  const at = new Map(nodes.map((node) => [node.step.id, node]));
  const taken = grouped(nodes, ({ layer }) => layer);
  const boxes = nodes.map(({ step, layer, slot }) => {
    const [x, y] = turned(frame, [margin + layer * frame.stride, margin + slot * frame.pitch]);
    return { step, x, y };
  });
  const lines = links.flatMap((link): Line[] => {
    const [from, to] = [at.get(link.from), at.get(link.to)];
    return from && to ? [{ link, path: pathOf(frame, taken, from, to) }] : [];
  });
  return {
    boxes,
    lines,
    width: Math.max(0, ...boxes.map(({ x }) => x)) + nodeWidth + margin,
    height: Math.max(0, ...boxes.map(({ y }) => y)) + nodeHeight + margin,
    isDown,
  };
}

const turned = ({ isDown }: Frame, [along, across]: Point): Point => (isDown ? [across, along] : [along, across]);

const startOf = ({ stride }: Frame, layer: number): number => margin + layer * stride;
const middleOf = ({ pitch, breadth }: Frame, slot: number): number => margin + slot * pitch + breadth / 2;

function pathOf(frame: Frame, taken: ReadonlyMap<number, readonly Placed[]>, from: Placed, to: Placed): string {
  if (from === to) return ownLoop(frame, from);
  if (to.layer <= from.layer) return wayBack(frame, taken, from, to);
  const points: Point[] = [[startOf(frame, from.layer) + frame.length, middleOf(frame, from.slot)]];
  for (let layer = from.layer + 1; layer < to.layer; layer += 1) {
    const share = (layer - from.layer) / (to.layer - from.layer);
    const slot = freeSlot(taken.get(layer) ?? [], from.slot + (to.slot - from.slot) * share);
    const across = middleOf(frame, slot);
    points.push([startOf(frame, layer), across], [startOf(frame, layer) + frame.length, across]);
  }
  // The line ends before the box, so that the tip of the arrow only touches the box.
  points.push([startOf(frame, to.layer) - 2, middleOf(frame, to.slot)]);
  return curve(frame, points);
}

/** The slot nearest to `wanted` at which a line can pass between the boxes of a layer. */
function freeSlot(nodes: readonly Placed[], wanted: number): number {
  const half = 0.5;
  const isFree = (slot: number): boolean => nodes.every((node) => Math.abs(node.slot - slot) >= half - 1e-9);
  const places = [wanted, ...nodes.flatMap(({ slot }) => [slot - half, slot + half])].filter(isFree);
  return places.reduce(
    (best, each) => (Math.abs(each - wanted) < Math.abs(best - wanted) ? each : best),
    places[0] ?? wanted,
  );
}

/** A line that leaves `from` at its side, runs back between the other boxes, and enters `to` at its side. */
function wayBack(frame: Frame, taken: ReadonlyMap<number, readonly Placed[]>, from: Placed, to: Placed): string {
  const { length, breadth, pitch } = frame;
  const leaving = to.slot < from.slot ? -1 : 1;
  const entering = to.slot > from.slot ? -1 : 1;
  const out: Point = [startOf(frame, from.layer) + length * 0.3, middleOf(frame, from.slot) + (leaving * breadth) / 2];
  const into: Point = [
    startOf(frame, to.layer) + length * 0.7,
    middleOf(frame, to.slot) + entering * (breadth / 2 + 2),
  ];
  const laneOut = middleOf(frame, from.slot) + (leaving * pitch) / 2;
  const laneIn = middleOf(frame, to.slot) + (entering * pitch) / 2;
  const points: Point[] = [[startOf(frame, from.layer), laneOut]];
  for (let layer = from.layer - 1; layer > to.layer; layer -= 1) {
    const share = (from.layer - layer) / (from.layer - to.layer);
    const slot = freeSlot(taken.get(layer) ?? [], from.slot + (to.slot - from.slot) * share);
    const across = middleOf(frame, slot);
    points.push([startOf(frame, layer) + length, across], [startOf(frame, layer), across]);
  }
  points.push([startOf(frame, to.layer) + length, laneIn]);
  const [first = out, last = into] = [points[0], points.at(-1)];
  const draw = drawing(frame);
  return [
    draw("M", out),
    draw("Q", [out[0], first[1]], first),
    curve(frame, points).replace(/^M[^C]*/, ""),
    draw("Q", [into[0], last[1]], into),
  ].join("");
}

/** A small loop at a box that leads to itself. */
function ownLoop(frame: Frame, { layer, slot }: Placed): string {
  const [end, side] = [startOf(frame, layer) + frame.length, middleOf(frame, slot) - frame.breadth / 2];
  const draw = drawing(frame);
  return [
    draw("M", [end, side + frame.breadth * 0.3]),
    draw("C", [end + 34, side + frame.breadth * 0.3], [end + 20, side - 24], [end - frame.length * 0.15, side - 2]),
  ].join("");
}

const drawing =
  (frame: Frame) =>
  (command: string, ...points: readonly Point[]): string =>
    `${command}${points.map((point) => turned(frame, point).map(Math.round).join(" ")).join(" ")}`;

/** A curve through all points, parallel to the flow at each of them. */
function curve(frame: Frame, points: readonly Point[]): string {
  const draw = drawing(frame);
  const [first, ...rest] = points;
  if (!first) return "";
  let [along, across] = first;
  const parts = [draw("M", first)];
  for (const point of rest) {
    const bend = (point[0] - along) / 2;
    parts.push(draw("C", [along + bend, across], [point[0] - bend, point[1]], point));
    [along, across] = point;
  }
  return parts.join("");
}

/** Splits a name into at most `most` lines of at most `longest` characters. An `…` marks the place of a cut. */
export function linesOf(text: string, most: number, longest: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(/\s+/)) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length <= longest) line = joined;
    else {
      if (line !== "") lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  const shown = lines.slice(0, most);
  const cut = shown.map((each) => (each.length > longest ? `${each.slice(0, longest - 1)}…` : each));
  const last = cut.at(-1) ?? "";
  if (lines.length > most && !last.endsWith("…")) cut[most - 1] = `${last.slice(0, longest - 1).trimEnd()}…`;
  return cut;
}
