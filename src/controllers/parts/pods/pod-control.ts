/** Creates and deletes pods on behalf of their owner, and records Events. */

import { Pod } from "../../../api/core/v1/pod.ts";
import type { AnyObject, Client } from "../../../client/contract.ts";
import type { Recorder } from "../../../client/events/contract.ts";
import { hasReason, isNamespaceTerminating } from "../../../client/requests/send.ts";
import type { NewPod } from "./from-template.ts";

export interface PodControl {
  create(owner: AnyObject, pod: NewPod): Promise<Pod>;
  /** A pod that is already gone is not a failure. */
  delete(owner: AnyObject, pod: Pod, reason: string): Promise<void>;
}

export function createPodControl(client: Client, recorder: Recorder): PodControl {
  const pods = client.of(Pod);
  return {
    async create(owner, pod) {
      const { namespace } = owner.metadata;
      const metadata = { ...pod.metadata, ...(namespace === undefined ? {} : { namespace }) };
      try {
        const made = await pods.create({ ...pod, metadata });
        recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${made.metadata.name}`);
        return made;
      } catch (error) {
        if (!isNamespaceTerminating(error)) {
          recorder.event(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
        }
        throw error;
      }
    },
    async delete(owner, pod, reason) {
      const { namespace, name = "", uid } = pod.metadata;
      try {
        await pods.delete({ namespace, name }, { uid, reason });
      } catch (error) {
        if (hasReason(error, "NotFound")) return;
        // After a conflict the pod may still exist: the caller must check again.
        if (!hasReason(error, "Conflict")) {
          recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
        }
        throw error;
      }
      recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    },
  };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
