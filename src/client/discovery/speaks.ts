/** Which names a server speaks: every server has groups of its own, whose domain tells. */

import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

/** `groups`: the names of the groups that it serves. */
export const vocabularyOfGroups = (groups: readonly string[]): Vocabulary =>
  groups.some((name) => name.endsWith(".k8s.io")) ? kubernetes : orch;

/** `body`: what it answers at /apis. */
export function vocabularyOfGroupList(body: unknown): Vocabulary {
  const { groups } = (body ?? {}) as { readonly groups?: unknown };
  const list: readonly unknown[] = Array.isArray(groups) ? groups : [];
  return vocabularyOfGroups(list.map((group) => String((group as { readonly name?: unknown } | null)?.name)));
}
