/** Every declared kind, bound in a deterministic environment. */

import { catalog as declared } from "../api/catalog.ts";
import { type Clock, createManualClock } from "../base/clock.ts";
import { createBind } from "../machinery/catalog/bind-family.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import { isOfLevel } from "../machinery/schema/kind-level.ts";
import type { Level } from "../machinery/schema/levels.ts";
import { orch } from "../vocabulary/orch.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** The current time in tests that show ages. */
const testTimeMs = Date.UTC(2021, 5, 1, 12);

export function testEnvironment(options: { vocabulary?: Vocabulary; clock?: Clock; level?: Level } = {}): Environment {
  return plainEnvironment({
    ...(options.level === undefined ? {} : { level: options.level }),
    vocabulary: options.vocabulary ?? orch,
    clock: options.clock ?? createManualClock(testTimeMs),
    randomUid: () => "00000000-0000-4000-8000-000000000000",
    allowPrivileged: true,
  });
}

/** Those of the level, in the order of the catalog, bodies of subresources included. */
export function allKinds(environment: Environment, kinds: readonly Kind[] = declared): readonly BoundKind[] {
  return createBind(environment)
    .builtin(kinds)
    .flatMap((family) => family.versions)
    .filter(isOfLevel);
}
