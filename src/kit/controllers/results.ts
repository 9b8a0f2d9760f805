/** Counts how reconciles end, under the name that dashboards for controllers written in Go know. */

import { Counter, type Metric } from "../../base/metrics.ts";
import { TryAgain } from "../../client/reconcile/reconcile-queue.ts";

export interface ReconcileResults {
  readonly metric: Metric;
  /** Runs one reconcile of the controller. It calls `later` if it wants to look again after a time. */
  count(controller: string, reconcile: (later: () => void) => Promise<void>): Promise<void>;
}

/** `requeue`: TryAgain was thrown; `requeue_after`: it succeeded, and looks again after a time. */
type Result = "success" | "requeue" | "requeue_after" | "error";

export function createReconcileResults(): ReconcileResults {
  const counter = new Counter({
    name: "controller_runtime_reconcile_total",
    type: "counter",
    help: "Reconciles that ended, by controller and result.",
    labels: ["controller", "result"],
  });
  const add = (controller: string, result: Result) => counter.add(counter.labelKey(controller, result));
  return {
    metric: counter,
    async count(controller, reconcile) {
      let isLater = false;
      try {
        await reconcile(() => {
          isLater = true;
        });
      } catch (error) {
        add(controller, error instanceof TryAgain ? "requeue" : "error");
        throw error;
      }
      add(controller, isLater ? "requeue_after" : "success");
    },
  };
}
