/** Takes the steps of a StatefulSet: creates claims and pods, deletes and repairs pods, and records Events. */

import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/spec.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Client, ObjectType } from "../../client/contract.ts";
import type { Recorder } from "../../client/events/contract.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import { controllerRef } from "../parts/ownership/controller-ref.ts";
import { messageOf } from "../parts/pods/pod-control.ts";
import { claimsFor, newPod, podName, withIdentity } from "./pod.ts";
import type { PodStep } from "./reconcile.ts";

export interface StatefulPodsOptions {
  readonly client: Client;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly recorder: Recorder;
  readonly nameLabel: string;
  readonly type: ObjectType;
}

export interface Revisions {
  readonly names: Readonly<Record<"current" | "update", string>>;
  readonly templates: Readonly<Record<"current" | "update", PodTemplateSpec | undefined>>;
}

export interface StatefulPods {
  take(set: StatefulSet, step: PodStep, revisions: Revisions): Promise<void>;
}

export function createStatefulPods(options: StatefulPodsOptions): StatefulPods {
  const { client, claims, recorder, nameLabel, type } = options;
  const pods = client.of(Pod);

  async function create(
    set: StatefulSet,
    ordinal: number,
    revision: "current" | "update",
    { names, templates }: Revisions,
  ) {
    const name = podName(set, ordinal);
    await makeClaims(set, ordinal, name);
    const what = { template: templates[revision], revision: names[revision] };
    const pod = newPod(set, ordinal, what, { owner: controllerRef(set, type), nameLabel });
    const { namespace } = set.metadata;
    const metadata = { ...pod.metadata, ...(namespace === undefined ? {} : { namespace }) };
    await withEvent(set, "create", `Pod ${name} in`, () => pods.create({ ...pod, metadata }));
  }

  async function makeClaims(set: StatefulSet, ordinal: number, pod: string): Promise<void> {
    for (const claim of claimsFor(set, ordinal)) {
      if (claims.get(keyOf(claim)) !== undefined) continue;
      const what = `Claim ${claim.metadata.name} Pod ${pod} in`;
      try {
        await withEvent(set, "create", what, () => client.of(PersistentVolumeClaim).create(claim), "success");
      } catch (error) {
        // It belonged to an earlier pod, and the cache is stale.
        if (!hasReason(error, "AlreadyExists")) throw error;
      }
    }
  }

  async function remove(set: StatefulSet, pod: Pod, failed: boolean): Promise<void> {
    const { name = "", namespace, uid } = pod.metadata;
    if (failed) {
      const message = `StatefulSet ${keyOf(set)} is recreating failed Pod ${name}`;
      recorder.event(set, "Warning", "RecreatingFailedPod", message);
    }
    try {
      const reason = failed ? "it has ended and is created again" : "spec.replicas or the template has changed";
      await withEvent(set, "delete", `Pod ${name} in`, () => pods.delete({ namespace, name }, { uid, reason }));
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
  }

  async function repair(set: StatefulSet, pod: Pod, ordinal: number): Promise<void> {
    const { name = "" } = pod.metadata;
    await makeClaims(set, ordinal, name);
    await withEvent(set, "update", `Pod ${name} in`, () => pods.update(withIdentity(set, pod, ordinal, nameLabel)));
  }

  /** Does it, and records the result as an Event. An object that already exists, or is already gone, is not recorded. */
  async function withEvent(
    set: StatefulSet,
    verb: "create" | "delete" | "update",
    what: string,
    work: () => Promise<unknown>,
    success = "successful",
  ): Promise<void> {
    const reason = verb.charAt(0).toUpperCase() + verb.slice(1);
    const subject = `${verb} ${what} StatefulSet ${set.metadata.name}`;
    try {
      await work();
    } catch (error) {
      const isNews = !hasReason(error, "AlreadyExists", "NotFound", "Conflict") && !isNamespaceTerminating(error);
      if (isNews) recorder.event(set, "Warning", `Failed${reason}`, `${subject} failed error: ${messageOf(error)}`);
      throw error;
    }
    recorder.event(set, "Normal", `Successful${reason}`, `${subject} ${success}`);
  }

  return {
    async take(set, step, revisions) {
      switch (step.do) {
        case "create":
          return await create(set, step.ordinal, step.revision, revisions);
        case "delete":
          return await remove(set, step.pod, step.failed === true);
        case "repair":
          return await repair(set, step.pod, step.ordinal);
      }
    },
  };
}
