/** What answers questions beyond labels and fields; main hands it in, since expressions are another room's. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ListCondition } from "../../registry/contract/question.ts";

/** A path of members and indexes, as `metadata.name` or `spec.containers[0].image` names it. */
export interface AskedPath {
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** Where each step begins in the text. */
  readonly offsets: readonly number[];
}

export interface Queries {
  /** Compiles an expression about objects of the version. Rejects with a badRequest that shows what is wrong with it. */
  condition(kind: BoundKind, text: string): Promise<ListCondition>;
  /** Throws a badRequest that shows where a path names a field that objects of the version do not have. */
  requireFields(kind: BoundKind, parameter: string, path: AskedPath): void;
}
