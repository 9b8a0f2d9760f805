/** The steps of a write from a client to the store, without a store: for tests of the strategy of kinds. */

import { createCatalog } from "../machinery/catalog/bind.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../machinery/schema/levels.ts";
import type { FieldErrors } from "../machinery/status/field-error.ts";
import { type Lived, liveCreate, liveUpdate } from "../registry/write.suite.ts";
import { createFeatureGates } from "./feature-gates.ts";

export function testEnvironment(gates: Readonly<Record<string, boolean>> = {}, level = levelDefault): Environment {
  return plainEnvironment({ level, gates: createFeatureGates(new Map(Object.entries(gates)), level) });
}

/** The versions of one kind, in a server with these gates, at this level. */
export function bindVersions(
  versions: readonly unknown[],
  gates?: Readonly<Record<string, boolean>>,
  level?: Level,
): { catalog: Catalog; version(name: string, group?: string): BoundKind } {
  // Every kind is a Kind of its own object type.
  const kinds = versions as readonly Kind[];
  const catalog = createCatalog(kinds, testEnvironment(gates, level));
  return {
    catalog,
    version(name, group) {
      const families = [...catalog.families()].flatMap((family) => family.versions);
      const found = families.find((kind) => kind.version === name && (group === undefined || kind.group === group));
      if (found === undefined) throw new Error(`${name} is not declared`);
      return found;
    },
  };
}

export interface Outcome {
  /** In the version of the request, as it would be stored; also when there are problems. */
  readonly object: Record<string, unknown> & ApiObject;
  readonly hub: ApiObject;
  /** "Invalid spec.replicas", sorted. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The result of a create of `value` through `kind`. Without a name it is called "x". */
export function create(kind: BoundKind, value: unknown): Outcome {
  return outcomeOf(kind, liveCreate(kind, arrive(kind, value)));
}

/** The result of an update of `old`, an outcome, with `value` through `kind`. */
export function update(kind: BoundKind, value: unknown, old: Outcome): Outcome {
  return outcomeOf(kind, liveUpdate(kind, arrive(kind, value), old.hub, { fresh: true }));
}

function outcomeOf(kind: BoundKind, { hub, problems, warnings }: Lived): Outcome {
  return {
    object: kind.fromHub(hub),
    hub,
    problems: show(problems),
    warnings,
  };
}

function arrive(kind: BoundKind, value: unknown): ApiObject {
  const object = kind.codec.decode(value);
  object.metadata.name ||= "x";
  if (kind.namespaced) object.metadata.namespace ||= "a";
  return object;
}

export const show = (errors: FieldErrors): string[] =>
  errors.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`).sort();
