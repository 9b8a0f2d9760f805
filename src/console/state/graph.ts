/**
 * Where the objects around one object stand: owners and users at its left, dependents and what it uses at its right. Each side is a tree, and
 * a parent stands in the middle of its children, so that lines never cross. Many children of one kind are one node that says how many.
 */

import type { HealthState } from "../../operations/health.ts";
import { groupedBy } from "./grouped.ts";

export interface GraphItem {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** "": it cannot be opened. */
  readonly href: string;
  /** How it is; undefined: nothing says. */
  readonly state?: HealthState | undefined;
  /** It is named, but not there. */
  readonly isMissing?: boolean;
  /** Why the line is there: "volume"; "": by ownership. */
  readonly as: string;
  readonly children: readonly GraphItem[];
}

export interface PlacedNode {
  readonly item: GraphItem;
  readonly x: number;
  readonly y: number;
  /** Objects that this node stands for; 0: for itself. */
  readonly folded: number;
}

export interface PlacedEdge {
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
  readonly isUse: boolean;
}

interface PlacedGraph {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export const nodeWidth = 210;
export const nodeHeight = 40;
const [gapX, gapY, margin] = [56, 12, 16];
/** More siblings of one kind are folded. */
export const siblingsMax = 8;

export interface Around {
  readonly own: GraphItem;
  /** Its children stand further left. */
  readonly left: readonly GraphItem[];
  readonly right: readonly GraphItem[];
}

/** `isOpen`: whether the folded node with this id shows all that it stands for. */
export function placeGraph({ own, left, right }: Around, isOpen: (id: string) => boolean): PlacedGraph {
  const nodes: PlacedNode[] = [];
  const edges: PlacedEdge[] = [];
  const deepest = depthOf(left);
  const columnX = (column: number) => margin + (column + deepest) * (nodeWidth + gapX);
  const sides = [
    { items: left, sign: -1 },
    { items: right, sign: 1 },
  ].map(({ items, sign }) => ({ sign, tree: items.length === 0 ? [] : foldSiblings(items, isOpen), height: 0 }));
  const heightOf = (item: Folded): number =>
    Math.max(
      1,
      item.children.reduce((sum, one) => sum + heightOf(one), 0),
    );
  const rows = Math.max(1, ...sides.map(({ tree }) => tree.reduce((sum, one) => sum + heightOf(one), 0)));
  const height = rows * (nodeHeight + gapY) + 2 * margin;
  const middle = height / 2 - nodeHeight / 2;
  const ownPlace = { x: columnX(0), y: middle };
  nodes.push({ item: own, ...ownPlace, folded: 0 });
  const place = (item: Folded, column: number, sign: number, top: number, parent: { x: number; y: number }) => {
    const space = heightOf(item) * (nodeHeight + gapY);
    const at = { x: columnX(column), y: top + space / 2 - nodeHeight / 2 - gapY / 2 };
    nodes.push({ item: item.item, ...at, folded: item.folded });
    const [before, after] = sign < 0 ? [at, parent] : [parent, at];
    edges.push({
      from: { x: before.x + nodeWidth, y: before.y + nodeHeight / 2 },
      to: { x: after.x, y: after.y + nodeHeight / 2 },
      isUse: item.item.as !== "",
    });
    let next = top;
    for (const child of item.children) {
      place(child, column + sign, sign, next, at);
      next += heightOf(child) * (nodeHeight + gapY);
    }
  };
  for (const { tree, sign } of sides) {
    const used = tree.reduce((sum, one) => sum + heightOf(one), 0) * (nodeHeight + gapY);
    let top = (height - used) / 2 + gapY / 2;
    for (const item of tree) {
      place(item, sign, sign, top, ownPlace);
      top += heightOf(item) * (nodeHeight + gapY);
    }
  }
  const width = columnX(depthOf(right)) + nodeWidth + margin;
  return { nodes, edges, width, height };
}

interface Folded {
  readonly item: GraphItem;
  readonly folded: number;
  readonly children: readonly Folded[];
}

const depthOf = (items: readonly GraphItem[]): number =>
  items.reduce((most, { children }) => Math.max(most, 1 + depthOf(children)), 0);

function foldSiblings(items: readonly GraphItem[], isOpen: (id: string) => boolean): readonly Folded[] {
  const unfolded = (item: GraphItem): Folded => ({ item, folded: 0, children: foldSiblings(item.children, isOpen) });
  return [...groupedBy(items, ({ kind, as }) => `${kind} ${as}`)].flatMap(([key, same]) => {
    const [first] = same;
    const id = `${first?.id} ${key}`;
    if (first === undefined || same.length <= siblingsMax || isOpen(id)) return same.map(unfolded);
    const item = { ...first, id, name: `${same.length} objects`, href: "", children: [] };
    return [{ item, folded: same.length, children: [] }];
  });
}
