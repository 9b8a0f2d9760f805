/** What answers questions beyond labels and fields; main hands it in, since expressions are another room's. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ListCondition } from "../../registry/contract/question.ts";

export interface Queries {
  /** Compiles an expression about objects of the version. Rejects with a badRequest that shows what is wrong with it. */
  condition(kind: BoundKind, text: string): Promise<ListCondition>;
}
