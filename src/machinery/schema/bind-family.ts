/** Puts declared kinds into a server's vocabulary, and their versions together into families. */

import type { BoundKind, Family } from "./catalog.ts";
import { withType } from "./convert.ts";
import { decodeObject } from "./decode.ts";
import type { ApiObject, Kind, Subresource } from "./kind.ts";
import { createRename, type Rename } from "./rename.ts";
import type { Environment, StructSchema } from "./schema.ts";

/** How declarations become bound: `spoken` kinds came from a user and are in the server's words already. */
export type Bind = (kinds: readonly Kind[], options?: { spoken?: boolean }) => readonly Family[];

export function createBind(environment: Environment): Bind {
  const rename = createRename(environment.vocabulary);
  const spokenGroup = (group: string) => group;
  return (kinds, { spoken = false } = {}) => {
    const words: Words = spoken
      ? { rename: (schema) => schema, group: spokenGroup }
      : { rename, group: environment.vocabulary.group };
    return families(kinds).map((members) => bindFamily(members, words, environment));
  };
}

interface Words {
  readonly rename: Rename;
  readonly group: (neutral: string) => string;
}

/** Kinds by their hub, in the order in which hubs come up first. */
function families(kinds: readonly Kind[]): Kind[][] {
  const byHub = new Map<Kind, Kind[]>();
  for (const kind of kinds) {
    const hub = kind.hub ?? kind;
    const members = byHub.get(hub) ?? [hub];
    byHub.set(hub, members);
    if (kind !== hub) members.push(kind);
  }
  return [...byHub.values()];
}

/** The hub is the first member; it is bound even where only other versions are listed. */
function bindFamily(members: readonly Kind[], words: Words, environment: Environment): Family {
  const [hub] = members as [Kind, ...Kind[]]; // families() never makes an empty one
  const family = {
    name: `${hub.group || "core"}/${hub.resource || hub.kind.toLowerCase()}`,
    namespaced: hub.scope === "Namespaced",
    life: hub.life,
    environment,
  } as Mutable<Family>; // hub, stored and versions need the family itself and follow at once
  const versions = members.map((member) => bindKind(member, family, words));
  const stored = hub.stored ?? apiVersionOf(hub.group, hub.version);
  const at = members.findIndex((member) => apiVersionOf(member.group, member.version) === stored);
  if (at < 0) throw new Error(`${family.name} is stored as ${stored}, which is not declared`);
  family.versions = versions;
  family.hub = versions[0] as BoundKind;
  family.stored = versions[at] as BoundKind;
  return family;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function bindKind(declaration: Kind, family: Family, words: Words): BoundKind {
  const group = words.group(declaration.group);
  const type = { kind: declaration.kind, apiVersion: apiVersionOf(group, declaration.version) };
  const schema = words.rename(declaration.schema);
  const { environment } = family;
  // A version with fields of its own may print absence differently, so what a conversion made is read again.
  const hasOwnFields = declaration.hub !== undefined && declaration.schema.fields !== declaration.hub.schema.fields;
  return {
    group,
    version: declaration.version,
    ...type,
    listKind: declaration.listKind ?? `${declaration.kind}List`,
    resource: declaration.resource,
    namespaced: declaration.scope === "Namespaced",
    schema,
    declaration,
    life: declaration.hub === undefined ? family.life : { ...family.life, ...declaration.life },
    subresources: bindSubresources(
      (declaration.subresources ?? []).filter(({ gate }) => gate === undefined || environment.gates.enabled(gate)),
      words,
    ),
    family,
    toHub(object) {
      const made = declaration.toHub ? declaration.toHub(object, environment) : object;
      return finish(made, hasOwnFields, family.hub.schema, family.hub);
    },
    fromHub(object) {
      const made = declaration.fromHub ? declaration.fromHub(object, environment) : object;
      return finish(made, hasOwnFields, schema, type);
    },
  };
}

function finish(
  object: ApiObject,
  readAgain: boolean,
  schema: StructSchema,
  type: Pick<BoundKind, "kind" | "apiVersion">,
): ApiObject {
  // A decoded object has metadata again.
  return withType(readAgain ? (decodeObject(schema, object) as ApiObject) : object, type);
}

/** In the order of discovery: by name. */
function bindSubresources(declared: readonly Subresource[], words: Words): ReadonlyMap<string, Subresource> {
  const byName = [...declared].sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(
    byName.map((subresource) => {
      const { accepts } = subresource;
      const bound = accepts
        ? { ...subresource, accepts: { ...accepts, group: words.group(accepts.group) } }
        : subresource;
      return [subresource.name, bound];
    }),
  );
}

/** "v1" for the core group, else "batch/v1". */
function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}
