/** The flags about metrics that every process of v1.21 has. */

import { string, strings } from "../../base/flags/flag.ts";
import { stringMap } from "../../base/flags/maps.ts";

export const metricFlags = {
  "show-hidden-metrics-for-version": string(
    "show metrics that are hidden since this release; only the previous one can be named",
  ),
  "disabled-metrics": strings("metrics that are not shown, by name"),
  "allow-metric-labels": stringMap(
    "values that a label of a metric may have, others are shown as unexpected: metricName,labelName=value,value",
  ),
};
