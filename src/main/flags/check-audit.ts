/**
 * Numbers of the audit flags that v1.21 refuses at the start, in its words. Only those of a backend in use are checked.
 */

import { FlagError } from "../../base/flags/flag.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";

/** Throws FlagError with the first problem. */
export function checkAuditFlags(flags: ApiServerFlags): void {
  if (flags["audit-log-path"] !== "") checkBackend("log", flags);
  if (flags["audit-webhook-config-file"] !== "") checkBackend("webhook", flags);
}

function checkBackend(name: "log" | "webhook", flags: ApiServerFlags): void {
  const ask = (what: string, value: number) => {
    if (value <= 0) throw new FlagError(`invalid audit ${what} ${value}, must be a positive number`);
  };
  // Other modes have no batches.
  if (flags[`audit-${name}-mode`] === "batch") {
    ask(`batch ${name} buffer size`, flags[`audit-${name}-batch-buffer-size`]);
    ask(`batch ${name} max batch size`, flags[`audit-${name}-batch-max-size`]);
    if (flags[`audit-${name}-batch-throttle-enable`]) {
      ask(`batch ${name} throttle QPS`, flags[`audit-${name}-batch-throttle-qps`]);
      ask(`batch ${name} throttle burst`, flags[`audit-${name}-batch-throttle-burst`]);
    }
  }
  const eventBytesMax = flags[`audit-${name}-truncate-max-event-size`];
  const batchBytesMax = flags[`audit-${name}-truncate-max-batch-size`];
  ask(`truncate ${name} max event size`, eventBytesMax);
  if (batchBytesMax < eventBytesMax) {
    const problem = `must be greater than max event size (${eventBytesMax})`;
    throw new FlagError(`invalid audit truncate ${name} max batch size ${batchBytesMax}, ${problem}`);
  }
}
