/** CronJob in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { CronJob as Hub } from "../v1/cron-job.ts";

export const CronJob = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.21", removed: "1.25", replacement: "batch/v1 CronJob" },
});
