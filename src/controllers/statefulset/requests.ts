/** The requests of a step of a StatefulSet: claims and pods are created, pods are deleted and repaired, each with its Event. */

import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/spec.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { AnyObject } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { create, messageOf, type PlannedEvent, type Request, remove, update } from "../plan.ts";
import { isStale, ownerOfClaims } from "./claim-owners.ts";
import { claimsFor, newPod, podName, withIdentity } from "./pod.ts";
import type { PodStep } from "./steps.ts";

interface StepContext {
  readonly set: StatefulSet;
  /** The owner reference of new pods. */
  readonly owner: OwnerReference;
  readonly nameLabel: string;
  readonly indexLabel: string | undefined;
  readonly names: Readonly<Record<"current" | "update", string>>;
  readonly templates: Readonly<Record<"current" | "update", PodTemplateSpec | undefined>>;
  /** As the cache has it. */
  readonly claimOf: (key: string) => PersistentVolumeClaim | undefined;
}

export function requestsOf(step: PodStep, context: StepContext): readonly Request<AnyObject>[] {
  switch (step.do) {
    case "create": {
      const { set, names, templates } = context;
      const name = podName(set, step.ordinal);
      const isWaiting = claimsFor(set, step.ordinal).some((claim) => {
        const known = context.claimOf(keyOf(claim));
        return known !== undefined && isStale(known, name);
      });
      if (isWaiting) return [];
      const what = { template: templates[step.revision], revision: names[step.revision] };
      const pod = newPod(set, step.ordinal, what, context);
      const { namespace } = set.metadata;
      const metadata = { ...pod.metadata, ...(namespace === undefined ? {} : { namespace }) };
      const creation = create(Pod, { ...pod, metadata }, reported(set, "create", `Pod ${name} in`));
      return [...claimRequests(step.ordinal, name, context), creation];
    }
    case "delete":
      return [removal(step.pod, step.failed === true, context)];
    case "repair": {
      const { set, nameLabel } = context;
      const { name = "" } = step.pod.metadata;
      const repaired = withIdentity(set, step.pod, step.ordinal, nameLabel);
      return [
        ...claimRequests(step.ordinal, name, context),
        update(Pod, repaired, reported(set, "update", `Pod ${name} in`)),
      ];
    }
  }
}

function claimRequests(ordinal: number, pod: string, { set, owner, claimOf }: StepContext) {
  const isOwned = ownerOfClaims(set, ordinal) === "set";
  return claimsFor(set, ordinal)
    .filter((claim) => claimOf(keyOf(claim)) === undefined)
    .map((plain) => {
      const metadata = { ...plain.metadata, ...(isOwned ? { ownerReferences: [owner] } : {}) };
      const claim = { ...plain, metadata };
      const events = reported(set, "create", `Claim ${claim.metadata.name} Pod ${pod} in`, "success");
      // One that already exists belonged to an earlier pod, and the cache is stale.
      return create(PersistentVolumeClaim, claim, { ...events, tolerates: ["AlreadyExists"] });
    });
}

function removal(pod: Pod, failed: boolean, { set }: StepContext): Request<Pod> {
  const { name = "", namespace, uid } = pod.metadata;
  const message = `StatefulSet ${keyOf(set)} is recreating failed Pod ${name}`;
  const reason = failed ? "it has ended and is created again" : "spec.replicas or the template has changed";
  return remove(
    Pod,
    { namespace, name },
    { uid, reason },
    {
      announce: failed ? { type: "Warning", reason: "RecreatingFailedPod", message } : undefined,
      ...reported(set, "delete", `Pod ${name} in`),
      tolerates: ["NotFound"],
    },
  );
}

/** The Events about the result. An object that already exists, or is already gone, is not worth one. */
function reported(set: StatefulSet, verb: "create" | "delete" | "update", what: string, success = "successful") {
  const reason = verb.charAt(0).toUpperCase() + verb.slice(1);
  const subject = `${verb} ${what} StatefulSet ${set.metadata.name}`;
  const done: PlannedEvent = { type: "Normal", reason: `Successful${reason}`, message: `${subject} ${success}` };
  return {
    events: [done],
    refused(error: unknown): PlannedEvent | undefined {
      if (hasReason(error, "AlreadyExists", "NotFound", "Conflict") || isNamespaceTerminating(error)) return undefined;
      return { type: "Warning", reason: `Failed${reason}`, message: `${subject} failed error: ${messageOf(error)}` };
    },
  };
}
