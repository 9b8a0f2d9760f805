/** Fields behind feature gates: one whose gate is off is dropped from a write, unless the object used the feature before. */

import { isObject } from "../json/json-value.ts";
import type { Behind, FeatureGates } from "./gates.ts";
import type { Schema, StructSchema } from "./schema.ts";

type Struct = Record<string, unknown>;

/** `old` undefined: the object is new. In place, and nothing that the object shares with `old` is changed. */
type DropGated = (object: Struct, old: Readonly<Struct> | undefined) => void;

/** The walk to the fields of these names whose gates are off. Compiled when it is first needed: most servers never see most kinds. */
export function dropGated(schema: StructSchema, gates: FeatureGates, isWalked: (member: string) => boolean): DropGated {
  let compiled: { readonly root: StructNode | undefined } | undefined;
  return (object, old) => {
    compiled ??= { root: rootOf(schema, gates, isWalked) };
    if (compiled.root === undefined) return;
    const found: Place[] = [];
    visit(compiled.root, object, old, found);
    if (found.length === 0) return;
    if (old === undefined) dropUnused(found, []);
    else
      dropUnused(
        found.filter(({ behind }) => !behind.onlyNew),
        placesIn(compiled.root, old),
      );
  };
}

/** Where a field is given. */
interface Place {
  readonly behind: Behind;
  readonly holder: Struct;
  readonly name: string;
  /** What the holder was before; undefined: there was none, or it is an item of a list. */
  readonly before: Readonly<Struct> | undefined;
  /** What the holder is a member of, for one that goes when it is empty. */
  readonly around?: readonly [holder: Struct, name: string];
}

function dropUnused(found: readonly Place[], before: readonly Place[]): void {
  const used = new Set(before.filter(({ behind, holder, name }) => isUse(holder[name], behind)).map(gateOf));
  for (const place of found) {
    const { behind, holder, name } = place;
    const { keeps = "feature" } = behind;
    if (keeps === "feature" && used.has(behind.gate)) continue;
    if (keeps === "field" && isUse(place.before?.[name], behind)) continue;
    drop(place);
    const { around } = place;
    if (around !== undefined && Object.keys(holder).length === 0) delete around[0][around[1]];
  }
}

const gateOf = ({ behind }: Place) => behind.gate;

function drop({ behind, holder, name, before }: Place): void {
  const given = holder[name];
  if (behind.uses !== undefined && !isUse(given, behind)) return;
  if (behind.most !== undefined) {
    if (Array.isArray(given) && given.length > behind.most) holder[name] = given.slice(0, behind.most);
    return;
  }
  if (behind.items !== undefined) {
    const { items, forget } = behind;
    if (!Array.isArray(given)) return;
    const [gone, left] = [given.filter(items), given.filter((item) => !items(item))];
    if (gone.length === 0) return;
    holder[name] = left;
    forget?.(holder, gone);
    return;
  }
  // A value that does not use the feature is restored.
  const kept = behind.keeps === "nothing" ? undefined : before?.[name];
  const left = "becomes" in behind ? behind.becomes : kept;
  if (left === given) return;
  if (left === undefined) delete holder[name];
  else holder[name] = left;
}

/** An empty list is not stored, so it is not in use either. */
function isUse(value: unknown, { most = 0, becomes, unused, items, uses }: Behind): boolean {
  if (value === undefined || value === null || value === becomes) return false;
  if (uses !== undefined) return isObject(value) && uses(value);
  if (items !== undefined) return Array.isArray(value) && value.some(items);
  return Array.isArray(value) ? value.length > most : unused?.includes(value) !== true;
}

interface StructNode {
  readonly own: readonly (readonly [name: string, behind: Behind])[];
  inner: readonly (readonly [name: string, node: Node])[];
}
/** What is between a struct and the structs in its lists and maps. */
type Node =
  | { readonly struct: StructNode }
  | { readonly choice: StructNode }
  | { readonly items: Node }
  | { readonly values: Node };

function placesIn(root: StructNode, object: Readonly<Struct>): readonly Place[] {
  const found: Place[] = [];
  visit(root, object, undefined, found);
  return found;
}

function visit({ own, inner }: StructNode, value: unknown, before: unknown, found: Place[]): void {
  // What was there before stays as it is.
  if (value === before || !isObject(value)) return;
  const old = isObject(before) ? before : undefined;
  for (const [name, behind] of own) {
    const given = value[name];
    if (given === undefined || given === null) continue;
    const { member } = behind;
    if (member === undefined) found.push({ behind, holder: value, name, before: old });
    else if (Array.isArray(given)) for (const item of given) addMember(item, undefined, member);
    else addMember(given, old?.[name], member, [value, name]);

    function addMember(holder: unknown, last: unknown, name: string, around?: Place["around"]): void {
      if (!isObject(holder) || holder[name] === undefined || holder[name] === null) return;
      const place = { behind, holder, name, before: isObject(last) ? last : undefined };
      found.push(behind.dropsEmptied && around !== undefined ? { ...place, around } : place);
    }
  }
  for (const [name, node] of inner) visitNode(node, value[name], old?.[name], found);
}

function visitNode(node: Node, value: unknown, before: unknown, found: Place[]): void {
  if (value === undefined || value === null || value === before) return;
  if ("struct" in node) visit(node.struct, value, before, found);
  else if ("choice" in node) {
    if (Array.isArray(value)) for (const item of value) visit(node.choice, item, undefined, found);
    else visit(node.choice, value, before, found);
  }
  // Items are not compared with those before: they may have moved.
  else if ("items" in node) {
    if (Array.isArray(value)) for (const item of value) visitNode(node.items, item, undefined, found);
  } else if (isObject(value)) {
    const old = isObject(before) ? before : {};
    for (const key of Object.keys(value)) visitNode(node.values, value[key], old[key], found);
  }
}

function rootOf(
  schema: StructSchema,
  gates: FeatureGates,
  isWalked: (member: string) => boolean,
): StructNode | undefined {
  const made = new Map<StructSchema, StructNode>();
  const root = structNode(schema, gates, made, isWalked);
  const leading = withPlaces([...made.values()]);
  for (const node of leading) node.inner = node.inner.filter(([, inner]) => leading.has(structIn(inner)));
  return leading.has(root) ? root : undefined;
}

/** A struct that contains itself leads to the node that is being made. */
function structNode(
  schema: StructSchema,
  gates: FeatureGates,
  made: Map<StructSchema, StructNode>,
  isWalked: (member: string) => boolean = () => true,
): StructNode {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const fields = [...schema.fields].filter(([name]) => isWalked(name));
  const own = fields.flatMap(([name, field]) =>
    field.gated.filter(({ gate }) => !gates.enabled(gate)).map((behind) => [name, behind] as const),
  );
  const node: StructNode = { own, inner: [] };
  made.set(schema, node);
  node.inner = fields.flatMap(([name, field]) => {
    const inner = nodeOf(field.schema, gates, made);
    return inner === undefined ? [] : [[name, inner] as const];
  });
  return node;
}

function nodeOf(schema: Schema, gates: FeatureGates, made: Map<StructSchema, StructNode>): Node | undefined {
  if (schema.type === "struct") return { struct: structNode(schema, gates, made) };
  if (schema.type === "list") {
    const items = nodeOf(schema.items, gates, made);
    return items && { items };
  }
  // An object, or a list of them; other choices have nothing in them.
  if (schema.type === "json" && schema.inner) return { choice: structNode(schema.inner, gates, made) };
  if (schema.type !== "map") return undefined;
  const values = nodeOf(schema.values, gates, made);
  return values && { values };
}

function structIn(node: Node): StructNode {
  if ("struct" in node) return node.struct;
  if ("choice" in node) return node.choice;
  return structIn("items" in node ? node.items : node.values);
}

/** The structs that have a gated field, or lead to one. */
function withPlaces(nodes: readonly StructNode[]): ReadonlySet<StructNode> {
  const found = new Set(nodes.filter(({ own }) => own.length > 0));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const node of nodes) if (node.inner.some(([, inner]) => found.has(structIn(inner)))) found.add(node);
  }
  return found;
}
