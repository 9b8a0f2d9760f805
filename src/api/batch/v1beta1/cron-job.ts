/** CronJob in v1beta1: the same shape as v1; deleted without a policy it leaves its jobs. */

import { version } from "../../../machinery/schema/kind.ts";
import { CronJob as Hub } from "../v1/cron-job.ts";

export const CronJob = version(Hub, {
  version: "v1beta1",
  retyped: { keeps: ["JobSpec"], enums: { concurrencyPolicy: "none" } },
  compat: { orphansByDefault: true },
  selectableAs: { "status.successful": "status.successful" },
  deprecated: { since: "1.21", removed: "1.25", replacement: "batch/v1 CronJob" },
});
