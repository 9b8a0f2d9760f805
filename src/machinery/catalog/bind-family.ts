/** Translates declared kinds into a server's vocabulary, and groups their versions into families. */

import type { Steps } from "../../base/time-slice.ts";
import type { NeutralGroup, SpokenGroup } from "../../vocabulary/vocabulary.ts";
import { isSmall } from "../json/parts.ts";
import type { BoundKind, BoundSubresource, Family } from "../schema/catalog.ts";
import { declaredConversion, withType } from "../schema/convert.ts";
import { decodeObject } from "../schema/decode.ts";
import { decodeFinalSteps } from "../schema/decode-steps.ts";
import type { Environment } from "../schema/environment.ts";
import { atLevel } from "../schema/field-level.ts";
import { hasFinalPlaces } from "../schema/final-places.ts";
import { dropGated } from "../schema/gated.ts";
import type { FeatureGates } from "../schema/gates.ts";
import { familyIdOf, type Origin } from "../schema/identity.ts";
import type { ApiObject, CustomKind, Kind, Subresource } from "../schema/kind.ts";
import { isOfLevel, kindAt } from "../schema/kind-level.ts";
import { withRules } from "../schema/kind-rules.ts";
import { inWordsOf } from "../schema/rename.ts";
import type { Rewrite } from "../schema/rewrite.ts";
import type { StructSchema } from "../schema/schema.ts";
import { declaredCodec } from "./declared-codec.ts";

/** How declarations become bound. This is the one place where declared names become spoken ones. */
export interface Bind {
  /** Built-in kinds: renamed by the vocabulary. */
  builtin(kinds: readonly Kind[]): readonly Family[];
  /** Custom kinds, already in spoken names: nothing in them is renamed. */
  custom(kinds: readonly CustomKind[]): readonly Family[];
}

export function createBind(environment: Environment): Bind {
  const { group } = environment.vocabulary;
  const at = atLevel(environment.level);
  const ours: Words<NeutralGroup> = {
    origin: "builtin",
    group,
    at: (declared) => kindAt(at, declared),
    schema: inWordsOf(environment.vocabulary),
  };
  const theirs: Words<SpokenGroup> = { origin: "custom", group: same, at: same, schema: same };
  return {
    builtin: (kinds) => families(kinds).map((members) => bindFamily(members, ours, environment)),
    custom: (kinds) => families(kinds).map((members) => bindFamily(members, theirs, environment)),
  };
}

const same = <T>(value: T): T => value;

/** How the names in declarations of one origin are spoken, and what of them is declared for the level of the server. */
interface Words<Group> {
  readonly origin: Origin;
  readonly at: (declared: Declared<Group>) => Declared<Group>;
  readonly group: (declared: Group) => SpokenGroup;
  readonly schema: Rewrite;
}

type Declared<Group> = Kind<ApiObject, Group>;

/** Kinds by their hub, in the order of the first occurrence of each hub. */
function families<Group>(kinds: readonly Declared<Group>[]): Declared<Group>[][] {
  const byHub = new Map<Declared<Group>, Declared<Group>[]>();
  for (const kind of kinds) {
    const hub = kind.hub ?? kind;
    const members = byHub.get(hub) ?? [hub];
    byHub.set(hub, members);
    if (kind !== hub) members.push(kind);
  }
  return [...byHub.values()];
}

/** The hub is the first member; it is bound even if only other versions are listed. */
function bindFamily<Group extends string>(
  members: readonly Declared<Group>[],
  words: Words<Group>,
  environment: Environment,
): Family {
  const hub = words.at(members[0] as Declared<Group>); // families() never makes an empty one
  if (hub.origin !== words.origin) throw new Error(`${hub.kind} is declared as a ${hub.origin} kind`);
  if (words.origin === "custom" && members.some(namesAction))
    throw new Error(`the custom kind ${hub.kind} names an action`);
  const family = {
    id: familyIdOf(hub),
    namespaced: hub.scope === "Namespaced",
    strategy: hub.strategy,
    environment,
  } as Mutable<Family>; // hub, stored and versions need the family itself and follow at once
  const versions = members.map((member) => bindKind(member, family, words));
  family.versions = versions;
  family.hub = versions[0] as BoundKind;
  for (const version of versions) version.hub = hub.conversion === undefined ? family.hub : version;
  family.stored = storedVersion(family, hub);
  family.conversion = hub.conversion?.(family) ?? declaredConversion;
  return family;
}

/** The declared one; at a level that no longer has it, the first version that the level has. */
function storedVersion<Group extends string>(family: Family, { stored, group, version }: Declared<Group>): BoundKind {
  const name = stored ?? apiVersionOf(group, version);
  const found = family.versions.find(({ declared }) => apiVersionOf(declared.group, declared.version) === name);
  if (found === undefined) throw new Error(`${family.id} is stored as ${name}, which is not declared`);
  return isOfLevel(found) ? found : (family.versions.find(isOfLevel) ?? found);
}

/** Only built-in kinds have actions, since an action runs with the rights of the server. */
function namesAction<Group>({ action, subresources = [] }: Declared<Group>): boolean {
  return action !== undefined || subresources.some((subresource) => subresource.action !== undefined);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function bindKind<Group extends string>(
  declared: Declared<Group>,
  family: Family,
  words: Words<Group>,
): Mutable<BoundKind> {
  const declaration = words.at(declared);
  const group = words.group(declaration.group);
  const type = { apiVersion: apiVersionOf(group, declaration.version), kind: declaration.kind };
  const schema = words.schema(declaration.schema);
  const { environment } = family;
  // A version with its own fields may print absence differently, so the result of a conversion is decoded again.
  const { hub = declared } = declared;
  const hasOwnFields = declared.schema.fields !== hub.schema.fields && hub.conversion === undefined;
  const unfinished: Omit<BoundKind, "codec" | "hub"> = {
    group,
    version: declaration.version,
    ...type,
    listKind: declaration.listKind ?? `${declaration.kind}List`,
    resource: declaration.resource,
    namespaced: declaration.scope === "Namespaced",
    schema,
    declaration,
    declared,
    compat: declaration.compat ?? {},
    strategy: withRules({ ...family.strategy, ...(hub === declared ? {} : declaration.strategy) }, hub.rules),
    subresources: bindSubresources(
      (declaration.subresources ?? []).filter(
        ({ behind }) => behind === undefined || environment.gates.enabled(behind),
      ),
      words,
    ),
    family,
    dropGated: words.origin === "custom" ? () => {} : createDropGated(schema, environment.gates),
    toHub(object) {
      const made = declaration.toHub ? declaration.toHub(object, environment) : object;
      return finish(made, hasOwnFields, bound.hub.schema, bound.hub);
    },
    *toHubInSteps(object) {
      if (declaration.toHub === undefined) return bound.toHub(object);
      const made = declaration.toHubInSteps
        ? yield* declaration.toHubInSteps(object, environment)
        : declaration.toHub(object, environment);
      yield;
      return yield* finishInSteps(made, hasOwnFields, bound.hub.schema, bound.hub);
    },
    *fromHubInSteps(object) {
      if (declaration.fromHub === undefined) return bound.fromHub(object);
      const made = declaration.fromHubInSteps
        ? yield* declaration.fromHubInSteps(object, environment)
        : declaration.fromHub(object, environment);
      yield;
      return yield* finishInSteps(made, hasOwnFields, schema, type);
    },
    fromHub(object) {
      const made = declaration.fromHub ? declaration.fromHub(object, environment) : object;
      return finish(made, hasOwnFields, schema, type);
    },
  };
  // The codec needs the kind itself and follows at once; the hub follows when all versions are there.
  const bound = unfinished as Mutable<BoundKind>;
  bound.codec = declaration.codec?.(bound) ?? declaredCodec(bound);
  return bound;
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

/** At once where it is short, where parts that never change are shared, and where decoding finds something wrong. */
function* finishInSteps(
  object: ApiObject,
  readAgain: boolean,
  schema: StructSchema,
  type: Pick<BoundKind, "kind" | "apiVersion">,
): Steps<ApiObject> {
  const isLong = readAgain && !hasFinalPlaces(schema) && !isSmall(object);
  const read = isLong ? yield* decodeFinalSteps(schema, object) : undefined;
  return read === undefined ? finish(object, readAgain, schema, type) : withType(read.value as ApiObject, type);
}

/** In the order of discovery: by name. */
function createDropGated(schema: StructSchema, gates: FeatureGates): BoundKind["dropGated"] {
  const [all, ofStatus] = [
    dropGated(schema, gates, () => true),
    dropGated(schema, gates, (member) => member === "status"),
  ];
  return (object, old, part) => (part === "status" ? ofStatus : all)(object, old);
}

function bindSubresources<Group>(
  declared: readonly Subresource<ApiObject, Group>[],
  words: Words<Group>,
): ReadonlyMap<string, BoundSubresource> {
  const byName = [...declared].sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(
    byName.map(({ accepts, ...subresource }) => [
      subresource.name,
      accepts ? { ...subresource, accepts: { ...accepts, group: words.group(accepts.group) } } : subresource,
    ]),
  );
}

/** "v1" for the core group, else "batch/v1". */
function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}
