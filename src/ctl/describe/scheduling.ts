/** Descriptions of priority classes and disruption budgets. */

import { name, names } from "./metadata.ts";
import { count, flag, pairsInLine } from "./readers.ts";
import { field, given, type Rows, section } from "./row.ts";
import { selector } from "./selector.ts";

export const priorityClass: Rows = [
  name,
  field("Value", "value"),
  field("GlobalDefault", flag("globalDefault")),
  field("Description", "description"),
  field("Annotations", pairsInLine("metadata.annotations")),
];

export const disruptionBudget: Rows = [
  ...names,
  given("Min available", "spec.minAvailable"),
  given("Max unavailable", "spec.maxUnavailable"),
  field("Selector", selector("spec.selector", "<unset>")),
  section(
    "Status",
    [
      field("Allowed disruptions", count("status.disruptionsAllowed")),
      field("Current", count("status.currentHealthy")),
      field("Desired", count("status.desiredHealthy")),
      field("Total", count("status.expectedPods")),
    ],
    4,
  ),
];
