/** Compiles questions, and keeps those that were asked last. */

import { inTimeSlices } from "../base/time-slice.ts";
import type { Queries } from "../http/contract/queries.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ListCondition } from "../registry/contract/question.ts";
import { compileCondition } from "./condition.ts";
import { requireFields } from "./field-path.ts";
import { rememberedCharsMax } from "./limits.ts";

export function createQueries(): Queries {
  /** The question used last comes last. A version of a definition that changes is another kind, so the kind decides too. */
  const known = new Map<string, { readonly kind: BoundKind; readonly condition: ListCondition }>();
  let chars = 0;
  const forget = (key: string): void => {
    if (known.delete(key)) chars -= key.length;
  };
  const remember = (key: string, kind: BoundKind, condition: ListCondition): void => {
    forget(key);
    known.set(key, { kind, condition });
    chars += key.length;
    for (const oldest of known.keys()) {
      if (chars <= rememberedCharsMax) break;
      forget(oldest);
    }
  };
  return {
    requireFields,
    async condition(kind, text) {
      const key = JSON.stringify([kind.family.id, kind.apiVersion, text]);
      const found = known.get(key);
      const condition = found?.kind === kind ? found.condition : await inTimeSlices(compileCondition(kind, text));
      remember(key, kind, condition);
      return condition;
    },
  };
}
