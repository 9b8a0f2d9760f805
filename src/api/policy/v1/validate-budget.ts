/** Checks of the status of disruption budgets. */

import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldErrors } from "../../../machinery/status/field-error.ts";
import { validateConditions } from "../../meta/validate-condition.ts";
import { PodDisruptionBudgetStatus } from "./budget-spec.ts";

interface WithStatus {
  status?: PodDisruptionBudgetStatus;
}

const checkStatus = checker(PodDisruptionBudgetStatus);

export const validateBudgetStatus = (budget: WithStatus, _old: WithStatus, environment: Environment): FieldErrors => [
  ...validateBudgetConditions(budget),
  ...checkStatus(budget.status, "status", environment),
];

/** The only checks through v1beta1, which never validated numbers. */
export const validateBudgetConditions = ({ status }: WithStatus): FieldErrors =>
  validateConditions(status?.conditions ?? [], "status.conditions");
