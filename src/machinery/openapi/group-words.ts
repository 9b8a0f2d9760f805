/** How ids and tags of operations name a group or a group version. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

/** "RbacAuthorizationV1"; `version` "": the group. */
export function groupWord(vocabulary: Vocabulary, group: string, version: string): string {
  return [...groupParts(vocabulary, group), version].map(capital).join("");
}

/** "rbacAuthorization_v1"; `version` "": the group. */
export function groupTag(vocabulary: Vocabulary, group: string, version: string): string {
  const [first = "", ...rest] = groupParts(vocabulary, group);
  return `${first}${rest.map(capital).join("")}${version === "" ? "" : `_${version}`}`;
}

/** The parts of a group's name without the product's own domain: "rbac", "authorization". */
function groupParts(vocabulary: Vocabulary, group: string): string[] {
  if (group === "") return ["core"];
  const domain = vocabulary.group("x.orch.io").slice(1);
  return (group.endsWith(domain) ? group.slice(0, -domain.length) : group).split(/[.-]/);
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
