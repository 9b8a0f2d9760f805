/** Custom kinds for tests, such as a definition makes them while a server runs. */

import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import type { Fields } from "./build.ts";
import { type CustomKind, declareKind, type KindOptions, type StaticObject } from "./kind.ts";

/** The groups of a custom kind are as users wrote them. */
export function customKind<const F extends Fields>(options: KindOptions<F, SpokenGroup>): CustomKind<StaticObject<F>> {
  return declareKind(options, "custom");
}
