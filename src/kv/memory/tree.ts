/** An ordered map that never changes: every write makes a new one that shares all but a few nodes with the old. */

/** How many entries or children a node has at most. More: flatter, but each write copies more. */
const widthMax = 32;
/** A node narrower than this is joined with its neighbour. */
const widthMin = 8;

export interface Leaf<Value> {
  readonly keys: readonly string[];
  readonly values: readonly Value[];
  readonly children?: undefined;
  readonly size: number;
}

interface Branch<Value> {
  /** The smallest key that was ever below each child; the first one is not looked at. */
  readonly keys: readonly string[];
  readonly children: readonly Tree<Value>[];
  /** How many entries are below. */
  readonly size: number;
}

export type Tree<Value> = Leaf<Value> | Branch<Value>;

export const emptyTree: Leaf<never> = { keys: [], values: [], size: 0 };

export function treeGet<Value>(tree: Tree<Value>, key: string): Value | undefined {
  let node = tree;
  while (node.children !== undefined) node = node.children[childIndex(node, key)]!;
  const index = lowerBound(node.keys, key);
  return node.keys[index] === key ? node.values[index] : undefined;
}

export function treeSet<Value>(tree: Tree<Value>, key: string, value: Value): Tree<Value> {
  const parts = setIn(tree, key, value);
  return parts.length === 1 ? parts[0]! : branch(parts);
}

/** The same tree if the key is not in it. */
export function treeDelete<Value>(tree: Tree<Value>, key: string): Tree<Value> {
  const next = deleteIn(tree, key);
  return next.children?.length === 1 ? next.children[0]! : next;
}

/** How many keys are smaller than `key`. */
export function treeRank<Value>(tree: Tree<Value>, key: string): number {
  let rank = 0;
  let node = tree;
  while (node.children !== undefined) {
    const index = childIndex(node, key);
    for (let before = 0; before < index; before += 1) rank += node.children[before]!.size;
    node = node.children[index]!;
  }
  return rank + lowerBound(node.keys, key);
}

/** Up to `limit` values from `key` on, in order. */
export function treeSlice<Value>(tree: Tree<Value>, key: string, limit: number): Value[] {
  const found: Value[] = [];
  if (limit > 0) collect(tree, key, limit, found);
  return found;
}

function collect<Value>(node: Tree<Value>, key: string, limit: number, found: Value[]): void {
  if (node.children === undefined) {
    for (let index = lowerBound(node.keys, key); index < node.keys.length && found.length < limit; index += 1) {
      found.push(node.values[index]!);
    }
    return;
  }
  for (let index = childIndex(node, key); index < node.children.length && found.length < limit; index += 1) {
    collect(node.children[index]!, key, limit, found);
  }
}

function setIn<Value>(node: Tree<Value>, key: string, value: Value): Tree<Value>[] {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] === key) {
      const values = node.values.slice();
      values[index] = value;
      return [{ keys: node.keys, values, size: node.size }];
    }
    const keys = node.keys.slice();
    const values = node.values.slice();
    keys.splice(index, 0, key);
    values.splice(index, 0, value);
    return splitLeaf(keys, values);
  }
  const index = childIndex(node, key);
  const parts = setIn(node.children[index]!, key, value);
  const children = node.children.slice();
  children.splice(index, 1, ...parts);
  const keys = node.keys.slice();
  keys.splice(index, 1, ...parts.map((part, position) => (position === 0 ? node.keys[index]! : firstKey(part))));
  return splitBranch(keys, children);
}

function deleteIn<Value>(node: Tree<Value>, key: string): Tree<Value> {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] !== key) return node;
    return leaf(node.keys.toSpliced(index, 1), node.values.toSpliced(index, 1));
  }
  const index = childIndex(node, key);
  const child = node.children[index]!;
  const next = deleteIn(child, key);
  if (next === child) return node;
  const keys = node.keys.slice();
  const children = node.children.slice();
  children[index] = next;
  if (width(next) === 0) {
    keys.splice(index, 1);
    children.splice(index, 1);
    return children.length === 0 ? emptyTree : fromParts(keys, children);
  }
  if (width(next) < widthMin) joinWithNeighbour(keys, children, index);
  return fromParts(keys, children);
}

/** Makes one node of the child and the one beside it if both fit into one. */
function joinWithNeighbour<Value>(keys: string[], children: Tree<Value>[], index: number): void {
  const left = index > 0 ? index - 1 : index;
  const a = children[left];
  const b = children[left + 1];
  if (a === undefined || b === undefined || width(a) + width(b) > widthMax) return;
  const joined =
    a.children === undefined || b.children === undefined
      ? leaf([...a.keys, ...b.keys], [...(a as Leaf<Value>).values, ...(b as Leaf<Value>).values]) // siblings are alike
      : fromParts([...a.keys, keys[left + 1]!, ...b.keys.slice(1)], [...a.children, ...b.children]);
  children.splice(left, 2, joined);
  keys.splice(left + 1, 1);
}

function splitLeaf<Value>(keys: string[], values: Value[]): Tree<Value>[] {
  if (keys.length <= widthMax) return [leaf(keys, values)];
  const half = keys.length >>> 1;
  return [leaf(keys.slice(0, half), values.slice(0, half)), leaf(keys.slice(half), values.slice(half))];
}

function splitBranch<Value>(keys: string[], children: Tree<Value>[]): Tree<Value>[] {
  if (children.length <= widthMax) return [fromParts(keys, children)];
  const half = children.length >>> 1;
  return [fromParts(keys.slice(0, half), children.slice(0, half)), fromParts(keys.slice(half), children.slice(half))];
}

function leaf<Value>(keys: readonly string[], values: readonly Value[]): Leaf<Value> {
  return { keys, values, size: keys.length };
}

function branch<Value>(children: readonly Tree<Value>[]): Branch<Value> {
  return fromParts(children.map(firstKey), children);
}

function fromParts<Value>(keys: readonly string[], children: readonly Tree<Value>[]): Branch<Value> {
  let size = 0;
  for (const child of children) size += child.size;
  return { keys, children, size };
}

function firstKey<Value>(node: Tree<Value>): string {
  return node.keys[0]!;
}

function width<Value>(node: Tree<Value>): number {
  return node.keys.length;
}

function childIndex<Value>(node: Branch<Value>, key: string): number {
  let low = 1;
  let high = node.keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (node.keys[middle]! <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
