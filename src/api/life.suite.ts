/** The way of an object from a client to the store, without a store: for tests of how kinds live. */

import { createCatalog } from "../machinery/schema/bind.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import { checkConstraints } from "../machinery/schema/constraints.ts";
import { throughHub } from "../machinery/schema/convert.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { defaultKind } from "../machinery/schema/defaults.ts";
import { emptiedMembers } from "../machinery/schema/emptied.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import { createFeatureGates } from "../machinery/schema/feature-gates.ts";
import { copyJson } from "../machinery/schema/json-value.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import type { Environment } from "../machinery/schema/schema.ts";
import type { FieldErrors } from "../machinery/status/field-error.ts";

export function testEnvironment(gates: Readonly<Record<string, boolean>> = {}): Environment {
  return plainEnvironment({ gates: createFeatureGates(new Map(Object.entries(gates))) });
}

/** The versions of one kind, in a server with these gates. */
export function bindVersions(
  versions: readonly unknown[],
  gates?: Readonly<Record<string, boolean>>,
): { catalog: Catalog; version(name: string, group?: string): BoundKind } {
  // Every kind is a Kind of its own object type.
  const kinds = versions as readonly Kind[];
  const catalog = createCatalog(kinds, testEnvironment(gates));
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
}

/** What becomes of `value` when it is created through `kind`. Metadata is not checked. */
export function create(kind: BoundKind, value: unknown): Outcome {
  const { family, life } = kind;
  const hub = arrive(kind, value);
  Object.assign(hub.metadata, { uid: "uid" });
  life.prepareForCreate?.(hub, family.environment);
  const errors = [...checkConstraints(family.hub.schema, hub), ...(life.validate?.(hub, family.environment) ?? [])];
  life.complete?.(hub, family.environment);
  return { object: kind.fromHub(hub), hub, problems: show(errors) };
}

/** What becomes of `old`, an outcome, when it is replaced by `value` through `kind`. */
export function update(kind: BoundKind, value: unknown, old: Outcome): Outcome {
  const { family, life } = kind;
  const hub = arrive(kind, value);
  const emptied = emptiedMembers(decodeKind(kind, value));
  Object.assign(hub.metadata, { uid: "uid" });
  life.prepareForUpdate?.(hub, copyJson(old.hub), family.environment);
  const errors = life.validateUpdate
    ? life.validateUpdate(hub, old.hub, family.environment, emptied)
    : (life.validate?.(hub, family.environment) ?? []);
  life.complete?.(hub, family.environment);
  return { object: kind.fromHub(hub), hub, problems: show(errors) };
}

function arrive(kind: BoundKind, value: unknown): ApiObject {
  const draft = decodeKind(kind, value);
  defaultKind(kind, draft);
  return kind.toHub(throughHub(draft, kind));
}

export const show = (errors: FieldErrors): string[] =>
  errors.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`).sort();
