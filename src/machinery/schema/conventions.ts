/**
 * What the API does in another way for custom resources, because v1.21 serves them with other code than built-in kinds. What a
 * schema can and cannot do (protobuf, strategic merge), its codec says.
 */

import type { BoundKind } from "./catalog.ts";
import type { Origin } from "./identity.ts";
import type { Verb } from "./kind.ts";

interface Conventions {
  /** They come and go while the server runs: documents have a part for each, and objects may outlive their kind. */
  readonly isTemporary: boolean;
  /** Items of a list have apiVersion and kind; otherwise they leave them to the list. */
  readonly hasTypedItems: boolean;
  /** A list that nothing follows has an empty `continue`; otherwise it has none. */
  readonly hasEmptyContinue: boolean;
  /** The OpenAPI document shows the deprecated paths under /watch/. */
  readonly showsWatchPaths: boolean;
  /** Discovery lists resources, and subresources of each, in ascending order of their names. */
  readonly isListedAscending: boolean;
  /** The verbs that discovery shows for a kind that supports `verbs`, in its order. */
  verbsShown(verbs: readonly Verb[]): readonly Verb[];
  /** The fields that a write of the status leaves as they were, and so does not own. Built-in kinds name what is in metadata themselves. */
  keptByStatus(kind: BoundKind): readonly string[];
}

const builtin: Conventions = {
  isTemporary: false,
  hasTypedItems: false,
  hasEmptyContinue: false,
  showsWatchPaths: true,
  isListedAscending: true,
  verbsShown: (verbs) => [...verbs].sort(),
  keptByStatus: ({ codec }) =>
    [...codec.topology.fields.keys()].filter((name) => !["metadata", "status"].includes(name)),
};

const customVerbs: readonly Verb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];

const custom: Conventions = {
  isTemporary: true,
  hasTypedItems: true,
  hasEmptyContinue: true,
  showsWatchPaths: false,
  isListedAscending: false,
  verbsShown: () => customVerbs,
  keptByStatus: ({ family }) => (family.environment.has("ownerlessStatusMetadata") ? ["metadata", "spec"] : ["spec"]),
};

const byOrigin: Readonly<Record<Origin, Conventions>> = { builtin, custom };

export const conventionsOf = ({ declaration }: BoundKind): Conventions => byOrigin[declaration.origin];
