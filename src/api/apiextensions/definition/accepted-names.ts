/** Which names of a definition are accepted: those that no other definition of the group has. The first definition wins. */

import type { DefinitionNames, DefinitionStatus } from "../v1/definition-parts.ts";
import type { TakenNames } from "./group-names.ts";

interface NameOutcome {
  readonly acceptedNames: DefinitionNames;
  readonly condition: {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  };
}

/**
 * `taken` are the names that other definitions of the group hold. A name that is accepted already stays so; one
 * that is taken keeps its accepted value. Of several conflicts the last is reported, as v1.21 does.
 *
 *   a asks for kind Fruit            a: accepted { kind: Fruit }
 *   b asks for kind Fruit            b: accepted { kind: "" }, NamesAccepted False (KindConflict)
 *   a goes                           b: accepted { kind: Fruit }, NamesAccepted True
 */
export function acceptNames(
  asked: DefinitionNames,
  status: Pick<DefinitionStatus, "acceptedNames"> | undefined,
  taken: TakenNames,
): NameOutcome {
  const before = status?.acceptedNames ?? { plural: "", kind: "" };
  const accepted: DefinitionNames = { ...before };
  let conflict: { reason: string; message: string } | undefined;
  const accept = (field: "plural" | "singular" | "kind" | "listKind", reason: string) => {
    const name = asked[field] ?? "";
    const isTaken = field === "kind" || field === "listKind" ? taken.hasKind(name) : taken.hasResource(name);
    if (name !== (before[field] ?? "") && isTaken) conflict = { reason, message: `"${name}" is in use` };
    else accepted[field] = name;
  };
  accept("plural", "PluralConflict");
  accept("singular", "SingularConflict");
  const hadShort = new Set(before.shortNames);
  const used = (asked.shortNames ?? []).filter((name) => !hadShort.has(name) && taken.hasResource(name));
  if (used.length > 0)
    conflict = { reason: "ShortNamesConflict", message: used.map((name) => `"${name}" is in use`).join(", ") };
  else accepted.shortNames = [...(asked.shortNames ?? [])];
  accept("kind", "KindConflict");
  accept("listKind", "ListKindConflict");
  accepted.categories = [...(asked.categories ?? [])];
  return {
    acceptedNames: accepted,
    condition: {
      type: "NamesAccepted",
      status: conflict === undefined ? "True" : "False",
      reason: conflict?.reason ?? "NoConflicts",
      message: conflict?.message ?? "no conflicts found",
    },
  };
}

interface Definition {
  readonly spec: { readonly names: DefinitionNames };
  readonly status?: Pick<DefinitionStatus, "acceptedNames" | "conditions">;
}

/**
 * The names that a definition holds, so that no later one gets them: what it has been given, or, while that has not been
 * written to its status yet, what it will be given.
 */
export function heldNames(definition: Definition, taken: TakenNames): NameOutcome["acceptedNames"] {
  const { spec, status } = definition;
  if (hasCondition(definition, "NamesAccepted") && status !== undefined) return status.acceptedNames;
  return acceptNames(spec.names, status, taken).acceptedNames;
}

/** The names under which it is served. Undefined: it is not served, since its names are taken. */
export function servedNames(definition: Definition, taken: TakenNames): DefinitionNames | undefined {
  const { spec, status } = definition;
  if (isTrue(definition, "Established")) return status?.acceptedNames;
  if (hasCondition(definition, "NamesAccepted")) {
    return isTrue(definition, "NamesAccepted") ? status?.acceptedNames : undefined;
  }
  // Its names have not been checked yet; its first client must not wait for that.
  const outcome = acceptNames(spec.names, status, taken);
  return outcome.condition.status === "True" ? outcome.acceptedNames : undefined;
}

const hasCondition = ({ status }: Definition, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type) ?? false;

export const isTrue = ({ status }: Definition, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
