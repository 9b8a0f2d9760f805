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
          `${path}: of more than ${completionsTracked} completions and ${parallelismTracked} pods at a time, completedIndexes may not have room for all when many indexes fail`,
        ]
      : []),
    ...templateWarnings(spec?.template, `${path}.template`, environment),
  ];
}
