/** Checks --feature-gates at the start of a process. */

import { checkFeatureGates } from "../../api/feature-gates.ts";
import { FlagError } from "../../base/flags/flag.ts";
import type { Log } from "../../base/log.ts";
import type { Level } from "../../machinery/schema/levels.ts";

/** Throws FlagError for gates that are unknown or locked; warns about those that will be removed. */
export function checkGates(overrides: ReadonlyMap<string, boolean>, log: Log, level?: Level): void {
  const { problems, warnings } = checkFeatureGates(overrides, level);
  if (problems.length > 0) throw new FlagError(`--feature-gates: ${problems.join("; ")}`);
  for (const warning of warnings) log.warn(warning);
}
