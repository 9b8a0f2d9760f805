/** The progress of a rollout, in one sentence. */

import { parseInt64 } from "../../../machinery/values/integer.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { dig, type Json, list, nameOf, number, text } from "../../json.ts";

interface RolloutStatus {
  readonly message: string;
  readonly isDone: boolean;
}

/** Throws if the rollout has failed. `revision`: 0, or the one that must be current. */
export async function statusOf(
  context: Context,
  { kind, group }: { readonly kind: string; readonly group: string },
  object: Json,
  revision: bigint,
): Promise<RolloutStatus> {
  if (kind === "Deployment")
    return ofDeployment(object, revision, (await context.vocabulary()).word("deployment.orch.io/revision"));
  if (kind === "DaemonSet") return ofDaemonSet(object);
  if (kind === "StatefulSet") return ofStatefulSet(object);
  throw new CtlError(`no status viewer has been implemented for ${group === "" ? kind : `${kind}.${group}`}`);
}

const count = (object: Json, ...path: string[]): number => number(object, ...path) ?? 0;
const waiting = (message: string): RolloutStatus => ({ message, isDone: false });
const isObserved = (object: Json): boolean =>
  count(object, "metadata", "generation") <= count(object, "status", "observedGeneration");

function ofDeployment(object: Json, revision: bigint, key: string): RolloutStatus {
  const name = nameOf(object);
  const current = parseInt64(text(object, "metadata", "annotations", key)) ?? 0n;
  if (revision > 0 && current !== revision)
    throw new CtlError(`desired revision (${revision}) is different from the running revision (${current})`);
  if (!isObserved(object)) return waiting("Waiting for deployment spec update to be observed...");
  const progressing = list(object, "status", "conditions").find((condition) => condition["type"] === "Progressing");
  if (progressing?.["reason"] === "ProgressDeadlineExceeded")
    throw new CtlError(`deployment "${name}" exceeded its progress deadline`);
  const wanted = number(object, "spec", "replicas");
  const [all, updated, available] = ["replicas", "updatedReplicas", "availableReplicas"].map((key) =>
    count(object, "status", key),
  );
  const start = `Waiting for deployment "${name}" rollout to finish:`;
  if (wanted !== undefined && (updated ?? 0) < wanted)
    return waiting(`${start} ${updated} out of ${wanted} new replicas have been updated...`);
  if ((all ?? 0) > (updated ?? 0))
    return waiting(`${start} ${(all ?? 0) - (updated ?? 0)} old replicas are pending termination...`);
  if ((available ?? 0) < (updated ?? 0))
    return waiting(`${start} ${available} of ${updated} updated replicas are available...`);
  return { message: `deployment "${name}" successfully rolled out`, isDone: true };
}

function ofDaemonSet(object: Json): RolloutStatus {
  const name = nameOf(object);
  if (text(object, "spec", "updateStrategy", "type") !== "RollingUpdate")
    throw new CtlError("rollout status is only available for RollingUpdate strategy type");
  if (!isObserved(object)) return waiting("Waiting for daemon set spec update to be observed...");
  const [updated, wanted, available] = ["updatedNumberScheduled", "desiredNumberScheduled", "numberAvailable"].map(
    (key) => count(object, "status", key),
  );
  const start = `Waiting for daemon set "${name}" rollout to finish:`;
  if ((updated ?? 0) < (wanted ?? 0))
    return waiting(`${start} ${updated} out of ${wanted} new pods have been updated...`);
  if ((available ?? 0) < (wanted ?? 0))
    return waiting(`${start} ${available} of ${wanted} updated pods are available...`);
  return { message: `daemon set "${name}" successfully rolled out`, isDone: true };
}

function ofStatefulSet(object: Json): RolloutStatus {
  if (text(object, "spec", "updateStrategy", "type") !== "RollingUpdate")
    throw new CtlError("rollout status is only available for RollingUpdate strategy type");
  if (count(object, "status", "observedGeneration") === 0 || !isObserved(object))
    return waiting("Waiting for statefulset spec update to be observed...");
  const wanted = number(object, "spec", "replicas") ?? 0;
  const ready = count(object, "status", "readyReplicas");
  if (ready < wanted) return waiting(`Waiting for ${wanted - ready} pods to be ready...`);
  const partition = dig(object, "spec", "updateStrategy", "rollingUpdate", "partition");
  const updated = count(object, "status", "updatedReplicas");
  if (typeof partition === "number" && partition > 0) {
    if (updated < wanted - partition)
      return waiting(
        `Waiting for partitioned roll out to finish: ${updated} out of ${wanted - partition} new pods have been updated...`,
      );
    return { message: `partitioned roll out complete: ${updated} new pods have been updated...`, isDone: true };
  }
  if (text(object, "status", "updateRevision") !== text(object, "status", "currentRevision"))
    return waiting(
      `waiting for statefulset rolling update to complete ${updated} pods at revision ${text(object, "status", "updateRevision")}...`,
    );
  return {
    message: `statefulset rolling update complete ${count(object, "status", "currentReplicas")} pods at revision ${text(object, "status", "currentRevision")}...`,
    isDone: true,
  };
}
