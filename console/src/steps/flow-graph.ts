import { inOrder } from "./forest.ts";
import type { Step } from "./steps.ts";

/** `answer`: the step follows an answer of the customer. `next`: the step follows without an answer. */
export type LinkKind = "answer" | "next";

export interface Link {
  readonly from: number;
  readonly to: number;
  readonly kind: LinkKind;
  /** Whether the link closes a cycle. */
  readonly isBack: boolean;
}

export interface Placed {
  readonly step: Step;
  /** The number of links on the longest way from a start; for a step without links, its place in its row. */
  readonly layer: number;
  /** The position in the layer. The steps of a layer are at least 1 apart. */
  readonly slot: number;
}

export interface Graph {
  readonly nodes: readonly Placed[];
  readonly links: readonly Link[];
}

export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

type Ways = ReadonlyMap<number, readonly Omit<Link, "isBack">[]>;

function waysOf(steps: readonly Step[]): Ways {
  const ways = new Map<number, Omit<Link, "isBack">[]>(steps.map(({ id }) => [id, []]));
  for (const { id, paso_automatico: next } of steps) {
    if (next !== null && ways.has(next)) ways.get(id)?.push({ from: id, to: next, kind: "next" });
  }
  for (const { id, paso_id: parent } of steps) {
    const way = parent === null ? undefined : ways.get(parent);
    // A step that follows its parent automatically already has a line from the parent.
    if (way && parent !== null && !way.some(({ to }) => to === id)) way.push({ from: parent, to: id, kind: "answer" });
  }
  return ways;
}

/** Walks the flow from its starts. A link back to a step on the path closes a cycle. */
function followed(starts: readonly Step[], ways: Ways) {
  const state = new Map<number, "open" | "done">();
  const links: Link[] = [];
  const lastFirst: number[] = [];
  for (const start of starts) {
    if (state.has(start.id)) continue;
    const trail = [{ id: start.id, at: 0 }];
    state.set(start.id, "open");
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const way = ways.get(top.id)?.[top.at];
      top.at += 1;
      if (way === undefined) {
        state.set(top.id, "done");
        lastFirst.push(top.id);
        trail.pop();
        continue;
      }
      links.push({ ...way, isBack: state.get(way.to) === "open" });
      if (state.has(way.to)) continue;
      state.set(way.to, "open");
      trail.push({ id: way.to, at: 0 });
    }
  }
  return { links, order: lastFirst.reverse() };
}

/** A step's layer is one above the highest layer with a link to the step. Links that close a cycle do not count. */
function layersOf(order: readonly number[], links: readonly Link[]): Map<number, number> {
  const layers = new Map(order.map((id) => [id, 0]));
  const forward = grouped(
    links.filter(({ isBack }) => !isBack),
    ({ from }) => from,
  );
  for (const id of order) {
    const behind = (layers.get(id) ?? 0) + 1;
    for (const { to } of forward.get(id) ?? []) layers.set(to, Math.max(layers.get(to) ?? 0, behind));
  }
  return layers;
}

/** By the id of a step, the id of its holder: the step's parent, or else the first step that leads to the step. */
function holdersOf(steps: readonly Step[], links: readonly Link[]): Map<number, number> {
  const holders = new Map<number, number>();
  const forward = links.filter(({ isBack, from, to }) => !isBack && from !== to);
  for (const { from, to } of forward) if (!holders.has(to)) holders.set(to, from);
  const parents = new Map(steps.map(({ id, paso_id }) => [id, paso_id]));
  for (const { from, to } of forward) if (parents.get(to) === from) holders.set(to, from);
  return holders;
}

/**
 * A step that holds no steps gets the next free slot. Every other step is centered between the steps that it holds. Two
 * steps of a layer never get the same slot.
 */
function slotsOf(steps: readonly Step[], holders: ReadonlyMap<number, number>): Map<number, number> {
  const held = new Map<number, number[]>();
  for (const { id } of steps) {
    const holder = holders.get(id);
    if (holder !== undefined) held.set(holder, [...(held.get(holder) ?? []), id]);
  }
  const slots = new Map<number, number>();
  let free = 0;
  const place = (id: number): number => {
    const below = (held.get(id) ?? []).map(place);
    const [first, last] = [below[0], below.at(-1)];
    const slot = first === undefined || last === undefined ? free++ : (first + last) / 2;
    slots.set(id, slot);
    return slot;
  };
  for (const { id } of steps) if (!holders.has(id)) place(id);
  return slots;
}

/** Steps without links are placed below the others, this many in a row. */
const loosePerRow = 4;

export function graphOf(steps: readonly Step[]): Graph {
  const ways = waysOf(steps);
  const reached = new Set([...ways.values()].flat().flatMap(({ from, to }) => (from === to ? [] : to)));
  const leading = new Set([...ways.values()].flat().map(({ from }) => from));
  const sorted = [...steps].sort(inOrder);
  const isLoose = ({ id }: Step): boolean => !reached.has(id) && !leading.has(id);
  const linked = sorted.filter((step) => !isLoose(step));
  // A flow that is only a cycle begins at the start step (`inicio`), or at a step that may be repeated (`loop`).
  const starts = [...linked].sort(
    (one, other) =>
      Number(reached.has(one.id)) - Number(reached.has(other.id)) ||
      Number(other.inicio || other.loop) - Number(one.inicio || one.loop) ||
      inOrder(one, other),
  );
  const { links, order } = followed(starts, ways);
  const layers = layersOf(order, links);
  const slots = slotsOf(linked, holdersOf(linked, links));
  const below = linked.length === 0 ? 0 : Math.max(...slots.values()) + 1;
  const nodes = linked.map((step) => ({ step, layer: layers.get(step.id) ?? 0, slot: slots.get(step.id) ?? 0 }));
  const loose = sorted.filter(isLoose).map((step, index) => ({
    step,
    layer: index % loosePerRow,
    slot: below + Math.floor(index / loosePerRow),
  }));
  return { nodes: [...nodes, ...loose], links };
}
