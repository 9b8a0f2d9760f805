/** What the Tables of role bindings show. */

import type { RoleRef, Subject } from "./rules.ts";

export const roleText = ({ roleRef }: { roleRef: RoleRef }): string => `${roleRef.kind}/${roleRef.name}`;

export const subjectsText = (kind: string) => (binding: { subjects?: readonly Subject[] }) =>
  (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
    .join(", ");
