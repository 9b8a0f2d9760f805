/** What the authors of jobs and of templates of jobs are told about them. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { templateWarnings } from "../../core/v1/pod/warnings.ts";
import { has } from "../../features.ts";
import type { JobSpec } from "./job-spec.ts";

/** Beyond these, the list of completed indexes may become too long to be stored. */
const completionsTracked = 100_000;
const parallelismTracked = 10_000;

export function jobSpecWarnings(spec: JobSpec | undefined, path: string, environment: Environment): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec ?? {};
  const isLarge = completionMode === "Indexed" && completions > completionsTracked && parallelism > parallelismTracked;
  return [
    ...(isLarge && has(environment, "largeJobWarnings")
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...templateWarnings(spec?.template, `${path}.template`, environment),
  ];
}
