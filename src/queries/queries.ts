/** Compiles questions, and keeps those that were asked last. */

import { LruMap } from "../base/lru-map.ts";
import { inTimeSlices } from "../base/time-slice.ts";
import type { Queries } from "../http/contract/queries.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ListCondition } from "../registry/contract/question.ts";
import { compileCondition } from "./condition.ts";
import { rememberedMax } from "./limits.ts";

export function createQueries(): Queries {
  /** A version of a definition that changes is another kind, so the kind and the text decide. */
  const known = new WeakMap<BoundKind, LruMap<string, ListCondition>>();
  return {
    async condition(kind, text) {
      const ofKind = known.get(kind) ?? new LruMap<string, ListCondition>(rememberedMax);
      known.set(kind, ofKind);
      const found = ofKind.get(text);
      if (found !== undefined) return found;
      const compiled = await inTimeSlices(compileCondition(kind, text));
      ofKind.set(text, compiled);
      return compiled;
    },
  };
}
