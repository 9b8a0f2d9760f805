/** `orch scheduler`: the scheduler alone, with one active at a time. */

import { parseFlags } from "../../base/flags/parse.ts";
import { scheduler } from "../../scheduler/wire.ts";
import { schedulerFlags } from "../flags/simulation-flags.ts";
import { runManager } from "./controller-manager.ts";

export async function runScheduler(args: readonly string[]): Promise<void> {
  const { values, warnings } = parseFlags(schedulerFlags, args);
  await runManager({ values: { ...values, controllers: [] }, warnings }, [scheduler]);
}
