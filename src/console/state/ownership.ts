/** Who owns which field of an object, from its managed fields. */

import { keyToken, valueToken } from "../../machinery/apply/token.ts";
import { type FieldPath, isJson, type Json, part, parts, text } from "../server/json.ts";

export interface Manager {
  readonly name: string;
  /** "Apply" or "Update". */
  readonly operation: string;
  /** "": the object itself. */
  readonly subresource: string;
  /** When it last changed what it owns; "": unknown. */
  readonly time: string;
}

interface Ownership {
  readonly managers: readonly Manager[];
  /** Positions in `managers`; none: the server set it, or only what contains it has an owner. */
  ownersOf(path: FieldPath): readonly number[];
}

/** A part of what one manager owns. */
interface Claim {
  readonly manager: number;
  readonly set: Json;
  /** Everything inside belongs to it: the field is owned as a whole. */
  readonly isWhole: boolean;
}

export function ownershipOf(object: Json): Ownership {
  const entries = parts(object, "metadata", "managedFields");
  const owners = new Map<string, readonly number[]>();
  const claims = entries.map((entry, manager) => ({ manager, set: part(entry, "fieldsV1"), isWhole: false }));
  for (const [name, value] of Object.entries(object)) note(value, [name], below(claims, `f:${name}`), owners);
  return {
    managers: entries.map((entry) => ({
      name: text(entry, "manager"),
      operation: text(entry, "operation"),
      subresource: text(entry, "subresource"),
      time: text(entry, "time"),
    })),
    ownersOf: (path) => owners.get(JSON.stringify(path)) ?? [],
  };
}

const isLeaf = (set: Json): boolean => Object.keys(set).length === 0;

function note(value: unknown, path: FieldPath, claims: readonly Claim[], owners: Map<string, readonly number[]>): void {
  if (claims.length === 0) return;
  const own = claims.filter(({ set, isWhole }) => isWhole || isLeaf(set) || set["."] !== undefined);
  if (own.length > 0)
    owners.set(
      JSON.stringify(path),
      own.map(({ manager }) => manager),
    );
  if (Array.isArray(value)) {
    const tokenOf = tokensOfItems(claims);
    for (const [at, item] of value.entries()) note(item, [...path, at], below(claims, tokenOf(item, at)), owners);
  }
  if (isJson(value))
    for (const [name, inner] of Object.entries(value)) note(inner, [...path, name], below(claims, `f:${name}`), owners);
}

/** The managers that name the field; if none does, those that own what contains it as a whole. */
function below(claims: readonly Claim[], token: string): readonly Claim[] {
  const named = claims.flatMap(({ manager, set }) => {
    const inner = set[token];
    return isJson(inner) ? [{ manager, set: inner, isWhole: false }] : [];
  });
  if (named.length > 0) return named;
  return claims.flatMap((claim) => (claim.isWhole || isLeaf(claim.set) ? [{ ...claim, isWhole: true }] : []));
}

/** The token that stands for an item: `k:{"name":"c"}`, `v:"x"` or `i:0`. */
function tokensOfItems(claims: readonly Claim[]): (item: unknown, at: number) => string {
  const known = new Set(claims.flatMap(({ set }) => Object.keys(set)));
  // Which members identify an item: the same for all items of a list, or nearly so.
  const identities = new Map([...known].map(keysIn).map((keys) => [keys.join(), keys]));
  return (item, at) => {
    const keyed = [...identities.values()].map((keys) =>
      keyToken(
        keys,
        keys.map((key) => part(item)[key]),
      ),
    );
    return [...keyed, valueToken(item), `i:${at}`].find((token) => known.has(token)) ?? "";
  };
}

function keysIn(token: string): readonly string[] {
  if (!token.startsWith("k:")) return [];
  try {
    return Object.keys(part(JSON.parse(token.slice(2)))).sort();
  } catch {
    return [];
  }
}
