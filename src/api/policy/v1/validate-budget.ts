/** Checks of the status of disruption budgets. */

import { pick } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { both, type FieldErrors } from "../../../machinery/status/field-error.ts";
import { PodDisruptionBudgetStatus } from "./budget-spec.ts";

interface WithStatus {
  status?: PodDisruptionBudgetStatus;
}

const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;
const checkCounts = checker(pick(PodDisruptionBudgetStatus, counts));
const checkConditions = checker(pick(PodDisruptionBudgetStatus, ["conditions"]));

export const validateBudgetStatus = (budget: WithStatus, old: WithStatus, environment: Environment): FieldErrors =>
  both(validateBudgetConditions(budget, old, environment), checkCounts(budget.status, "status", environment));

/** The only checks through v1beta1, which never validated numbers. */
export const validateBudgetConditions = ({ status }: WithStatus, _old: WithStatus, environment: Environment) =>
  checkConditions(status, "status", environment);
