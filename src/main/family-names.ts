/** The families that a person names as resources: "secrets", "deployments.apps", "widgets.example.com". */

import { catalog as kinds } from "../api/catalog.ts";
import { type FamilyId, familyIdOf } from "../machinery/schema/identity.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** "deployments.apps" -> "apps/deployments", for every group that a family is served in. */
export function familiesByName(vocabulary: Vocabulary): ReadonlyMap<string, FamilyId> {
  const names = new Map<string, FamilyId>();
  for (const kind of kinds) {
    const group = vocabulary.group(kind.group);
    if (kind.resource) names.set(group === "" ? kind.resource : `${kind.resource}.${group}`, familyIdOf(kind));
  }
  return names;
}

/** No family has the identity of a name that is not one of a custom resource, so a rule for it concerns nothing. */
export function customFamily(name: string): FamilyId {
  const dot = name.indexOf(".");
  const [resource, group] = dot < 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
  return `custom:${group}/${resource}` as FamilyId; // the form that familyIdOf gives a custom family
}
