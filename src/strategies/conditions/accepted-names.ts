/** Which names of a definition are accepted: those that no other definition of the group has. First come, first served. */

import type { DefinitionNames, DefinitionStatus } from "../../api/apiextensions/v1/definition-parts.ts";
import type { Condition } from "./write-status.ts";

export interface NameOutcome {
  readonly acceptedNames: DefinitionNames;
  readonly condition: Condition;
}

type Names = Pick<DefinitionNames, "plural" | "singular" | "shortNames" | "kind" | "listKind">;

/**
 * `others` are the accepted names of all other definitions of the group. A name that is accepted already stays so; one
 * that is taken keeps its accepted value. Of several conflicts the last is reported, as v1.21 does.
 *
 *   a asks for kind Fruit            a: accepted { kind: Fruit }
 *   b asks for kind Fruit            b: accepted { kind: "" }, NamesAccepted False (KindConflict)
 *   a goes                           b: accepted { kind: Fruit }, NamesAccepted True
 */
export function acceptNames(
  asked: DefinitionNames,
  status: Pick<DefinitionStatus, "acceptedNames"> | undefined,
  others: readonly Names[],
): NameOutcome {
  const before = status?.acceptedNames ?? { plural: "", kind: "" };
  const resources = new Set(
    others.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(others.flatMap(({ kind, listKind }) => [kind, listKind]));
  const accepted: DefinitionNames = { ...before };
  let conflict: { reason: string; message: string } | undefined;
  const settle = (field: "plural" | "singular" | "kind" | "listKind", taken: ReadonlySet<unknown>, reason: string) => {
    const name = asked[field] ?? "";
    if (name !== (before[field] ?? "") && taken.has(name)) conflict = { reason, message: `"${name}" is in use` };
    else accepted[field] = name;
  };
  settle("plural", resources, "PluralConflict");
  settle("singular", resources, "SingularConflict");
  const hadShort = new Set(before.shortNames);
  const used = (asked.shortNames ?? []).filter((name) => !hadShort.has(name) && resources.has(name));
  if (used.length > 0)
    conflict = { reason: "ShortNamesConflict", message: used.map((name) => `"${name}" is in use`).join(", ") };
  else accepted.shortNames = [...(asked.shortNames ?? [])];
  settle("kind", kinds, "KindConflict");
  settle("listKind", kinds, "ListKindConflict");
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
