/** Which objects of a family a query selects: a namespace, labels, fields and a condition, checked and ready to match. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { parseFieldSelector } from "../../machinery/selectors/field-selector.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { ListCondition, Term } from "../contract/question.ts";
import type { RegistryListQuery } from "../contract/registry.ts";
import { pathOf } from "../keys.ts";
import type { StoredEntry } from "./entry.ts";

export interface Selection {
  /** "": all. */
  readonly namespace: string;
  /** Whether labels, fields or a condition restrict it at all. */
  readonly restricted: boolean;
  readonly terms: readonly Term[];
  /** Whether it has a condition: then `matches` may take a millisecond. */
  readonly hasCondition: boolean;
  /** How many requirements `matches` may check. */
  readonly requirements: number;
  /** The path of the only object that can match (field selectors name it). Undefined: any object can match. */
  readonly path: string | undefined;
  /** Namespace, labels, fields and condition. */
  matches(entry: StoredEntry): boolean;
}

/** The operators that name the values an object must have one of. */
const namesValues = new Set(["=", "==", "in"]);

export function parseSelection(
  kind: BoundKind,
  query: Pick<RegistryListQuery, "namespace" | "labelSelector" | "fieldSelector">,
  condition?: ListCondition,
): Selection {
  const labels = parseLabelSelector(query.labelSelector ?? "");
  const fields = parseFieldSelector(query.fieldSelector ?? "").map((requirement) => ({
    path: hubPath(kind, requirement.path),
    equal: requirement.operator === "=",
    value: requirement.value,
  }));
  const wanted = (path: string) => fields.find((field) => field.path === path && field.equal)?.value;
  // A namespace that a field selector names narrows the list to it; a contradiction is left to `matches`.
  const namespace = query.namespace || (wanted("metadata.namespace") ?? "");
  const terms: Term[] = [];
  for (const { key, operator, values } of labels.requirements) {
    if (namesValues.has(operator)) terms.push({ index: `label ${key}`, values: [...values] });
  }
  for (const { path, equal, value } of fields) {
    if (equal && path !== "metadata.namespace") terms.push({ index: `field ${path}`, values: [value] });
  }
  if (condition !== undefined) terms.push(...condition.terms);
  return {
    namespace,
    restricted: !labels.empty || fields.length > 0 || condition !== undefined,
    terms,
    hasCondition: condition !== undefined,
    requirements: labels.requirements.length + fields.length + (condition?.requirements ?? 0),
    path: onlyPath(kind, namespace, wanted("metadata.name")),
    matches(entry) {
      if (namespace !== "" && entry.namespace !== namespace) return false;
      for (const { path, equal, value } of fields) if ((entry.field(path) === value) !== equal) return false;
      if (!labels.empty && !labels.matches(entry.labels)) return false;
      return condition === undefined || condition.meets(entry);
    },
  };
}

function onlyPath(kind: BoundKind, namespace: string, name: string | undefined): string | undefined {
  if (name === undefined || (kind.namespaced && namespace === "")) return undefined;
  return pathOf(kind.family, { namespace, name });
}

/** The hub's name of a field that selectors of this version call `path`. */
function hubPath(kind: BoundKind, path: string): string {
  const { selectableFields: own, selectableFields = {} } = kind.family.strategy;
  // A cluster-wide kind has this field too, which never matches, unless it declares its own selectable fields; as in v1.21.
  if (path === "metadata.name" || (path === "metadata.namespace" && (kind.namespaced || own === undefined)))
    return path;
  const { selectableAs } = kind.declaration;
  if (selectableAs === undefined ? Object.hasOwn(selectableFields, path) : Object.hasOwn(selectableAs, path)) {
    if (!kind.family.conversion.isImmediate && kind !== kind.family.stored)
      throw badRequest(
        `field label not supported: ${path.slice(0, 200)}: objects are selected by it only in ${kind.family.stored.apiVersion}, since a webhook converts them`,
      );
    return selectableAs?.[path] ?? path;
  }
  throw badRequest(
    // v1.21 has two sentences for this, and clients match on either.
    `field label not supported: ${path.slice(0, 200)}: ${JSON.stringify(path.slice(0, 200))} is not a known field selector of ${kind.resource}`,
  );
}
