/** An immutable ordered map: a write makes a new one that shares all but a few nodes, so a snapshot is a pointer. */

/** How many entries or children a node has at most: wider is flatter, but each write copies more. */
const widthMax = 32;
/** A node narrower than this is joined with its neighbour where both fit into one. */
const widthMin = 10;
/** How full nodes are made from sorted input, so that a few inserts do not split them at once. */
const widthPacked = 24;

interface Leaf<Value> {
  readonly keys: readonly string[];
  readonly values: readonly Value[];
  readonly children?: undefined;
  readonly size: number;
}
interface Branch<Value> {
  /** A lower bound of the keys below each child; the first one is never read. */
  readonly keys: readonly string[];
  readonly children: readonly Tree<Value>[];
  /** How many entries are below. */
  readonly size: number;
}
export type Tree<Value> = Leaf<Value> | Branch<Value>;

export const emptyTree: Tree<never> = { keys: [], values: [], size: 0 };

export function treeGet<Value>(tree: Tree<Value>, key: string): Value | undefined {
  let node = tree;
  while (node.children !== undefined) node = node.children[childAt(node.keys, key)]!;
  const index = lowerBound(node.keys, key);
  return node.keys[index] === key ? node.values[index] : undefined;
}

export function treeSet<Value>(tree: Tree<Value>, key: string, value: Value): Tree<Value> {
  const parts = put(tree, key, value);
  return parts.length === 1
    ? parts[0]!
    : branch(
        parts.map((part) => part.keys[0]!),
        parts,
      );
}

/** Returns the same tree if the key is not in it. */
export function treeDelete<Value>(tree: Tree<Value>, key: string): Tree<Value> {
  let next = remove(tree, key);
  while (next.children !== undefined && next.children.length === 1) next = next.children[0]!;
  return next;
}

/** How many keys are smaller than `key`. */
export function treeRank<Value>(tree: Tree<Value>, key: string): number {
  let rank = 0;
  let node = tree;
  while (node.children !== undefined) {
    const index = childAt(node.keys, key);
    for (let before = 0; before < index; before += 1) rank += node.children[before]!.size;
    node = node.children[index]!;
  }
  return rank + lowerBound(node.keys, key);
}

/** Visits entries from `from` on in key order until the visitor answers false. */
export function treeVisit<Value>(
  tree: Tree<Value>,
  from: string,
  visit: (value: Value, key: string) => boolean,
): boolean {
  if (tree.children === undefined) {
    for (let index = lowerBound(tree.keys, from); index < tree.keys.length; index += 1) {
      if (!visit(tree.values[index]!, tree.keys[index]!)) return false;
    }
    return true;
  }
  for (let index = childAt(tree.keys, from); index < tree.children.length; index += 1) {
    if (!treeVisit(tree.children[index]!, from, visit)) return false;
  }
  return true;
}

/** At most `limit` values whose keys are not before `from` and before `end`, in key order. */
export function treeSlice<Value>(tree: Tree<Value>, from: string, end: string, limit: number): Value[] {
  const found: Value[] = [];
  gather(tree, from, end, limit, found);
  return found;
}

function gather<Value>(node: Tree<Value>, from: string, end: string, limit: number, found: Value[]): void {
  if (node.children === undefined) {
    const { keys, values } = node;
    const begin = lowerBound(keys, from);
    const last = keys.length > 0 && keys[keys.length - 1]! < end ? keys.length : lowerBound(keys, end);
    const stop = Math.min(last, begin + limit - found.length);
    for (let index = begin; index < stop; index += 1) found.push(values[index]!);
    return;
  }
  const { keys, children } = node;
  const lastChild = childAt(keys, end);
  for (let index = childAt(keys, from); index <= lastChild && found.length < limit; index += 1) {
    gather(children[index]!, from, end, limit, found);
  }
}

/** A tree of entries that come in key order, none twice. */
export function treeFrom<Value>(keys: readonly string[], values: readonly Value[]): Tree<Value> {
  if (keys.length === 0) return emptyTree;
  let nodes: Tree<Value>[] = [];
  for (let at = 0; at < keys.length; at += widthPacked) {
    nodes.push(leaf(keys.slice(at, at + widthPacked), values.slice(at, at + widthPacked)));
  }
  while (nodes.length > 1) {
    const parents: Tree<Value>[] = [];
    for (let at = 0; at < nodes.length; at += widthPacked) {
      const children = nodes.slice(at, at + widthPacked);
      parents.push(
        branch(
          children.map((child) => child.keys[0]!),
          children,
        ),
      );
    }
    nodes = parents;
  }
  return nodes[0]!;
}

function put<Value>(node: Tree<Value>, key: string, value: Value): Tree<Value>[] {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] === key) return [{ keys: node.keys, values: node.values.with(index, value), size: node.size }];
    return split(node.keys.toSpliced(index, 0, key), node.values.toSpliced(index, 0, value), leaf);
  }
  const index = childAt(node.keys, key);
  const parts = put(node.children[index]!, key, value);
  if (parts.length === 1) {
    const [part] = parts as [Tree<Value>];
    const size = node.size + part.size - node.children[index]!.size;
    return [{ keys: node.keys, children: node.children.with(index, part), size }];
  }
  const [first, second] = parts as [Tree<Value>, Tree<Value>];
  const keys = node.keys.toSpliced(index + 1, 0, second.keys[0]!);
  return split(keys, node.children.toSpliced(index, 1, first, second), branch);
}

function remove<Value>(node: Tree<Value>, key: string): Tree<Value> {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] !== key) return node;
    return leaf(node.keys.toSpliced(index, 1), node.values.toSpliced(index, 1));
  }
  const index = childAt(node.keys, key);
  const child = node.children[index]!;
  const next = remove(child, key);
  if (next === child) return node;
  if (next.size === 0) {
    if (node.children.length === 1) return emptyTree;
    return branch(node.keys.toSpliced(index, 1), node.children.toSpliced(index, 1));
  }
  const keys = node.keys.slice();
  const children = node.children.with(index, next);
  if (next.keys.length < widthMin) join(keys, children, index);
  return branch(keys, children);
}

/** Makes one node of the child and the one beside it where both fit into one. Changes its arguments. */
function join<Value>(keys: string[], children: Tree<Value>[], index: number): void {
  const left = Math.max(0, index - 1);
  const a = children[left]!;
  const b = children[left + 1];
  if (b === undefined || a.keys.length + b.keys.length > widthMax) return;
  const joined =
    a.children === undefined
      ? leaf([...a.keys, ...b.keys], [...a.values, ...(b as Leaf<Value>).values]) // siblings are of one sort
      : branch([...a.keys, keys[left + 1]!, ...b.keys.slice(1)], [...a.children, ...(b as Branch<Value>).children]);
  children.splice(left, 2, joined);
  keys.splice(left + 1, 1);
}

function split<Value, Part>(
  keys: readonly string[],
  parts: readonly Part[],
  make: (keys: readonly string[], parts: readonly Part[]) => Tree<Value>,
): Tree<Value>[] {
  if (keys.length <= widthMax) return [make(keys, parts)];
  const half = keys.length >>> 1;
  return [make(keys.slice(0, half), parts.slice(0, half)), make(keys.slice(half), parts.slice(half))];
}

function leaf<Value>(keys: readonly string[], values: readonly Value[]): Tree<Value> {
  return { keys, values, size: keys.length };
}

function branch<Value>(keys: readonly string[], children: readonly Tree<Value>[]): Tree<Value> {
  let size = 0;
  for (const child of children) size += child.size;
  return { keys, children, size };
}

function childAt(keys: readonly string[], key: string): number {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! <= key) low = middle + 1;
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
