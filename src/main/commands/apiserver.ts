/** `orch apiserver`: only the API server, with the flags of v1.21. */

import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { createLog } from "../../base/log-writer.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { openApiServer } from "../programs/apiserver.ts";
import { withChoicesOfFolder } from "../stores/store-choice.ts";
import { runUntilStopped } from "./run-until-stopped.ts";

export async function runApiserver(args: readonly string[]): Promise<void> {
  const { values: parsed, given, warnings } = parseFlags(apiserverFlags, args);
  const values = await withChoicesOfFolder(parsed, given);
  const log = createLog({ verbosity: values.v, format: values["log-format"] });
  for (const warning of warnings) log.warn(warning);
  await runUntilStopped(() => openApiServer({ flags: values, clock: systemClock, log }), log, values);
}
