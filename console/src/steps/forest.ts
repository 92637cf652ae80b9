import type { Step } from "./steps.ts";

export interface Branch {
  readonly step: Step;
  readonly children: readonly Branch[];
}

/** Sorts starts of flows before other steps, and older steps before newer ones. */
export const inOrder = (one: Step, other: Step): number =>
  Number(other.inicio) - Number(one.inicio) || one.id - other.id;

/**
 * The steps as trees. A step whose parent is archived becomes a root. In a cycle, the root is a step with `loop`, or
 * else the first step.
 */
export function forestOf(steps: readonly Step[]): Branch[] {
  const known = new Set(steps.map(({ id }) => id));
  const below = new Map<number, Step[]>();
  const sorted = [...steps].sort(inOrder);
  const roots: Step[] = [];
  for (const step of sorted) {
    if (step.paso_id === null || !known.has(step.paso_id)) roots.push(step);
    else below.set(step.paso_id, [...(below.get(step.paso_id) ?? []), step]);
  }
  const taken = new Set<number>();
  const branchOf = (step: Step): Branch => {
    taken.add(step.id);
    const children = (below.get(step.id) ?? []).flatMap((child) => (taken.has(child.id) ? [] : branchOf(child)));
    return { step, children };
  };
  const forest = roots.map(branchOf);
  const circles = [...sorted].sort((one, other) => Number(other.loop) - Number(one.loop) || inOrder(one, other));
  for (const step of circles) if (!taken.has(step.id)) forest.push(branchOf(step));
  return forest;
}

export interface Row {
  readonly step: Step;
  /** The depth in the tree, from 1. */
  readonly level: number;
  /** The position among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
  /** Null for a leaf. */
  readonly isOpen: boolean | null;
  /** The id of the parent's step; null for a root. */
  readonly parent: number | null;
}

/** The rows from top to bottom. The children of a closed step are left out. */
export function rowsOf(forest: readonly Branch[], isOpen: (id: number) => boolean): Row[] {
  const rows: Row[] = [];
  const add = (branches: readonly Branch[], level: number, parent: number | null): void => {
    for (const [index, { step, children }] of branches.entries()) {
      const open = children.length === 0 ? null : isOpen(step.id);
      rows.push({ step, level, position: index + 1, siblings: branches.length, isOpen: open, parent });
      if (open) add(children, level + 1, step.id);
    }
  };
  add(forest, 1, null);
  return rows;
}

/** Lower case without accents. */
const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

export function matcherOf(q: string): (step: Step) => boolean {
  const wanted = plain(q.trim());
  return ({ nombre, identificador, contenido, iniciador }) =>
    wanted === "" || [nombre, identificador, contenido, iniciador ?? ""].some((text) => plain(text).includes(wanted));
}

/** The matching steps with their ancestors. */
export function filtered(forest: readonly Branch[], isMatch: (step: Step) => boolean): Branch[] {
  return forest.flatMap(({ step, children }) => {
    const left = filtered(children, isMatch);
    return isMatch(step) || left.length > 0 ? { step, children: left } : [];
  });
}

/** The steps whose parent (`below`) or next step (`before`) is this step. Archiving this step breaks these links. */
export const pointingAt = (steps: readonly Step[], id: number) => ({
  below: steps.filter((step) => step.paso_id === id && step.id !== id),
  before: steps.filter((step) => step.paso_automatico === id && step.id !== id),
});
