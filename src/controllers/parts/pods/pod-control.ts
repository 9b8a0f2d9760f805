/**
 * Creates and deletes the pods of owners: with Events, in growing batches, and with expectations, so that an owner waits until the
 * cache shows its last writes.
 */

import { Pod } from "../../../api/core/v1/pod.ts";
import type { Clock } from "../../../base/clock.ts";
import type { AnyObject, Client } from "../../../client/contract.ts";
import type { Recorder } from "../../../client/events/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../../client/requests/send.ts";
import { messageOf, type NewPod, type PodWriter } from "../../plan.ts";
import { createExpectations, type Expectations } from "./expectations.ts";
import { slowStart } from "./slow-start.ts";

export interface PodControl extends PodWriter {
  /** Lowered by whoever follows the pods. */
  readonly expectations: Expectations;
}

interface PodControlOptions {
  readonly client: Client;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly pods: Informer<Pod>;
}

/** Why a pod is deleted, for the log and for the history of the server. */
interface Removal {
  readonly reason: string;
  readonly cause: string | undefined;
}

export function createPodControl({ client, recorder, clock, pods }: PodControlOptions): PodControl {
  const resource = client.of(Pod);
  const expectations = createExpectations(clock);

  async function create(owner: AnyObject, pod: NewPod, cause: string | undefined): Promise<void> {
    const { namespace } = owner.metadata;
    const metadata = { ...pod.metadata, ...(namespace === undefined ? {} : { namespace }) };
    try {
      const made = await resource.create({ ...pod, metadata }, { cause });
      recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${made.metadata.name}`, cause);
    } catch (error) {
      if (!isNamespaceTerminating(error)) {
        recorder.event(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`, cause);
      }
      throw error;
    }
  }

  async function remove(owner: AnyObject, pod: Pod, { reason, cause }: Removal): Promise<void> {
    const { namespace, name = "", uid } = pod.metadata;
    try {
      await resource.delete({ namespace, name }, { uid, reason, cause });
    } catch (error) {
      if (hasReason(error, "NotFound")) return;
      // After a conflict the pod may still exist: the caller must check again.
      if (!hasReason(error, "Conflict")) {
        recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`, cause);
      }
      throw error;
    }
    recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`, cause);
  }

  async function removeExpected(key: string, owner: AnyObject, pod: Pod, removal: Removal): Promise<void> {
    try {
      await remove(owner, pod, removal);
    } catch (error) {
      expectations.deletionObserved(key, keyOf(pod));
      throw error;
    }
    // It may have been gone before; then there is no event.
    if (pods.get(keyOf(pod))?.metadata.uid !== pod.metadata.uid) expectations.deletionObserved(key, keyOf(pod));
  }

  return {
    expectations,
    async change(key, owner, { create: missing = [], delete: superfluous = [], reason = "" }, cause) {
      if (missing.length > 0) expectations.expectCreations(key, missing.length);
      if (superfluous.length > 0) expectations.expectDeletions(key, superfluous.map(keyOf));
      const { done, error } = await slowStart(missing, (pod) => create(owner, pod, cause));
      for (let left = missing.length - done; left > 0; left--) expectations.creationObserved(key);
      const removals = superfluous.map((pod) => removeExpected(key, owner, pod, { reason, cause }));
      const failed = (await Promise.allSettled(removals)).filter((outcome) => outcome.status === "rejected");
      const failure: unknown = failed[0]?.reason ?? (isNamespaceTerminating(error) ? undefined : error);
      return { created: done, deleted: superfluous.length - failed.length, error: failure };
    },
  };
}
