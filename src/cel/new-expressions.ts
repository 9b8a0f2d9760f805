/** What new expressions may use: only what the release before has too, so that its servers can evaluate them after a downgrade. */

import { previousRelease, type Release } from "../base/release.ts";
import type { Environment } from "../machinery/schema/environment.ts";

/** The release that new expressions are checked by; stored ones are evaluated by that of the server. */
export const releaseOfNew = ({ level, has }: Pick<Environment, "level" | "has">): Release =>
  has("cautiousExpressions") ? previousRelease(level) : level;
