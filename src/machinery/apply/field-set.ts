/**
 * A set of fields of an object, in the very form in which managedFields prints it, so that sets are read and written
 * without being built: nothing is parsed until a change touches it.
 *
 * A node has a member for each step that leads further (token.ts) and a "." if it is itself in the set; a node without
 * members is a leaf that is itself in the set. The root stands for the object and is never in the set itself.
 *
 *   {}                                        the empty set (as root)
 *   { "f:data": {} }                          data
 *   { "f:data": { "f:k": {} } }               data.k, but not data
 *   { "f:data": { ".": {}, "f:k": {} } }      data and data.k
 *
 * Sets are never changed. Operations return an argument itself if it is the result, so unchanged parts stay shared.
 * Steps start with a letter and a colon, so no step can be a name of Object.prototype.
 */

import { isSorted, sortTokens } from "./token.ts";

export interface FieldSet {
  readonly [token: string]: FieldSet;
}
/** A set while it is being built. */
export type FieldSetDraft = { [token: string]: FieldSet };

/** As root: nothing. Anywhere else: the field itself. */
export const leaf: FieldSet = Object.freeze({});
export const emptySet: FieldSet = leaf;

export function isEmpty(node: FieldSet): boolean {
  for (const _ in node) return false;
  return true;
}

/** Whether the node, which is not a root, is itself in the set. */
export function isMember(node: FieldSet): boolean {
  return node["."] !== undefined || isEmpty(node);
}

/** The node with its members in the order in which they are printed; undefined if nothing is left. Takes ownership of the draft. */
export function nodeOf(self: boolean, draft: FieldSetDraft | undefined): FieldSet | undefined {
  const tokens = draft === undefined ? [] : Object.keys(draft);
  if (tokens.length === 0) return self ? leaf : undefined;
  // The keys are those of the draft.
  if (!self && isSorted(tokens)) return draft as FieldSet;
  sortTokens(tokens);
  const node: FieldSetDraft = self ? { ".": leaf } : {};
  for (const token of tokens) node[token] = (draft as FieldSetDraft)[token] as FieldSet;
  return node;
}

/** All steps of a node except the one that stands for itself. */
export function stepsOf(node: FieldSet): string[] {
  const steps = Object.keys(node);
  if (node["."] !== undefined) steps.splice(steps.indexOf("."), 1);
  return steps;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  return uniteSteps(a, b, false);
}

/** The union of many; two by two, so that a thousand small sets are not copied a thousand times. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length <= 1) return sets[0] ?? emptySet;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

function uniteNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const isSelf = a["."] !== undefined;
  const isOtherSelf = b["."] !== undefined;
  if (!isOtherSelf && isEmpty(b)) return withSelf(a);
  if (!isSelf && isEmpty(a)) return withSelf(b);
  return uniteSteps(a, b, isSelf || isOtherSelf);
}

function uniteSteps(a: FieldSet, b: FieldSet, self: boolean): FieldSet {
  let changes: Map<string, FieldSet> | undefined;
  let isNewStep = self && a["."] === undefined;
  for (const token in b) {
    if (token === ".") continue;
    const other = b[token] as FieldSet; // token is one of b's own
    const mine = a[token];
    const united = mine === undefined ? other : uniteNodes(mine, other);
    if (united === mine) continue;
    if (mine === undefined) isNewStep = true;
    changes ??= new Map();
    changes.set(token, united);
  }
  if (!isNewStep) return changes === undefined ? a : changed(a, changes, true);
  const tokens = stepsOf(a);
  for (const token of changes?.keys() ?? []) if (a[token] === undefined) tokens.push(token);
  const node: FieldSetDraft = self ? { ".": leaf } : {};
  for (const token of sortTokens(tokens)) node[token] = (changes?.get(token) ?? a[token]) as FieldSet; // of one of both
  return node;
}

/**
 * The node with some steps changed or, where undefined, omitted. It is built new: copying an object of thousands of members
 * in order to delete from it takes several times as long.
 */
function changed(node: FieldSet, changes: ReadonlyMap<string, FieldSet | undefined>, keepSelf: boolean): FieldSet {
  const result: FieldSetDraft = {};
  for (const token in node) {
    if (token === "." && !keepSelf) continue;
    const step = changes.has(token) ? changes.get(token) : node[token];
    if (step !== undefined) result[token] = step;
  }
  return result;
}

/** Copied step by step: a spread of thousands takes twice as long. */
function withSelf(node: FieldSet): FieldSet {
  if (node["."] !== undefined) return node;
  const result: FieldSetDraft = { ".": leaf };
  let isLeaf = true;
  for (const token in node) {
    isLeaf = false;
    result[token] = node[token] as FieldSet; // token is one of its own
  }
  return isLeaf ? node : result;
}

/** What is in `a` and not in `b`. Fields below those of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, { isRoot: true, isRecursive: false }) ?? emptySet;
}

/** What is in `a` and neither in `b` nor below a field of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, { isRoot: true, isRecursive: true }) ?? emptySet;
}

interface Subtraction {
  readonly isRoot: boolean;
  /** Whether a field of `b` also removes what is below it. */
  readonly isRecursive: boolean;
}
const inNode: Subtraction = { isRoot: false, isRecursive: false };
const inNodeRecursively: Subtraction = { isRoot: false, isRecursive: true };

/** Checks as few nodes as possible for emptiness: for one with thousands of steps the check costs as much as a walk. */
function subtract(a: FieldSet, b: FieldSet, { isRoot, isRecursive }: Subtraction): FieldSet | undefined {
  let changes: Map<string, FieldSet | undefined> | undefined;
  let isTaken = !isRoot; // b itself is in the set if it says so or has no steps
  let hasSteps = false;
  if (isTaken && isRecursive && b["."] !== undefined) return undefined;
  for (const token in b) {
    if (token === ".") continue;
    isTaken &&= b["."] !== undefined;
    const mine = a[token];
    if (mine === undefined) continue;
    hasSteps = true;
    const left = subtract(mine, b[token] as FieldSet, isRecursive ? inNodeRecursively : inNode); // one of b's own
    if (left === mine) continue;
    changes ??= new Map();
    changes.set(token, left);
  }
  if (isTaken && isRecursive) return undefined;
  const self = !isRoot && !isTaken && (a["."] !== undefined || (!hasSteps && isEmpty(a)));
  if (changes === undefined) {
    if (!hasSteps && onlySelf(a)) return self ? a : undefined;
    return self || a["."] === undefined ? a : changed(a, none, false);
  }
  const left = changed(a, changes, self);
  return !onlySelf(left) ? left : self ? leaf : undefined;
}

const none: ReadonlyMap<string, FieldSet> = new Map();

/** Whether no step leads further. */
function onlySelf(node: FieldSet): boolean {
  for (const token in node) if (token !== ".") return false;
  return true;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectNodes(a, b, false) ?? emptySet;
}

function intersectNodes(a: FieldSet, b: FieldSet, self: boolean): FieldSet | undefined {
  let draft: FieldSetDraft | undefined;
  for (const token in a) {
    if (token === ".") continue;
    const other = b[token];
    if (other === undefined) continue;
    const mine = a[token] as FieldSet; // token is one of a's own
    const common = mine === other ? mine : intersectNodes(mine, other, isMember(mine) && isMember(other));
    if (common === undefined) continue;
    draft ??= {};
    draft[token] = common;
  }
  if (draft === undefined) return self ? leaf : undefined;
  return self ? { ".": leaf, ...draft } : draft;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let count = 0;
  for (const token in a) {
    const other = b[token];
    if (other === undefined || !equalSets(a[token] as FieldSet, other)) return false; // token is one of a's own
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** Every field of the set, as the steps that lead to it, parents before children. */
export function* pathsOf(
  set: FieldSet,
  prefix: readonly string[] = [],
  steps: readonly string[] = stepsOf(set),
): Generator<readonly string[]> {
  for (const token of steps) {
    const node = set[token] as FieldSet; // stepsOf gives own keys
    const path = [...prefix, token];
    // Listed once: to ask a node with thousands of steps whether it has any takes as long.
    const inner = stepsOf(node);
    if (inner.length === 0 || node["."] !== undefined) yield path;
    yield* pathsOf(node, path, inner);
  }
}

/** The set of the given paths. */
export function setOfPaths(paths: Iterable<readonly string[]>): FieldSet {
  let set = emptySet;
  for (const path of paths)
    set = union(
      set,
      path.reduceRight<FieldSet>((node, token) => ({ [token]: node }), leaf),
    );
  return set;
}
