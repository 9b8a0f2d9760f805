/** The effect of one eviction on a disruption budget: the eviction is refused, or counted. */

import type { PodDisruptionBudgetStatus } from "../../api/policy/v1/budget-spec.ts";
import type { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import { forbiddenRequest, StatusError } from "../../machinery/status/status.ts";
import { timeText } from "../../machinery/values/time.ts";

/** Evictions that the budget's controller has not confirmed yet; above this number the controller must be broken. */
const disruptedPodsMax = 2_000;

/** How long a client waits before it tries again while the controller has not seen the budget yet. */
const unseenWaitSeconds = 10;

/** The status after one more eviction. Throws when the budget does not allow it. */
export function chargeBudget(
  budget: PodDisruptionBudget,
  podName: string,
  environment: Environment,
): PodDisruptionBudgetStatus {
  const now = timeText(environment.clock.now());
  const name = budget.metadata.name ?? "";
  const status = budget.status ?? noStatus;
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) throw stillProcessed(name, environment);
  const refuse = (why: string) => forbiddenRequest({ group: "policy", kind: "poddisruptionbudget" }, name, why);
  if (status.disruptionsAllowed < 0) throw refuse("the number of allowed disruptions is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > disruptedPodsMax) {
    throw refuse("too many evictions have not been confirmed by its controller");
  }
  if (status.disruptionsAllowed === 0) {
    const { desiredHealthy, currentHealthy } = status;
    throw overBudget(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const charged = { ...status, disruptionsAllowed, disruptedPods: { ...status.disruptedPods, [podName]: now } };
  return disruptionsAllowed > 0 ? charged : { ...charged, conditions: exhausted(charged, now) };
}

const noStatus: PodDisruptionBudgetStatus = {
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
};

/** Shows at once that no more pods may be evicted, before the controller does. */
function exhausted(
  { conditions = [], observedGeneration = 0 }: PodDisruptionBudgetStatus,
  now: string,
): NonNullable<PodDisruptionBudgetStatus["conditions"]> {
  const type = "DisruptionAllowed";
  const before = conditions.find((condition) => condition.type === type);
  const condition = {
    type,
    status: "False",
    ...(observedGeneration > 0 ? { observedGeneration } : {}),
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
    reason: "InsufficientPods",
    message: "",
  };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((one) => (one.type === type ? condition : one));
}

export const stillProcessed = (name: string, { has }: Environment): StatusError =>
  overBudget(
    `The disruption budget ${name} is still being processed by the server`,
    has("evictionWaits") ? { retryAfterSeconds: unseenWaitSeconds } : {},
  );

function overBudget(message: string, wait: { readonly retryAfterSeconds?: number } = {}): StatusError {
  return new StatusError("TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    details: { causes: [{ reason: "DisruptionBudget", message }], ...wait },
  });
}
