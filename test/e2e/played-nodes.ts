/** What node agents do as far as controllers see it: pods run and become ready, and those that are deleted end. */

import { Pod } from "../../src/api/core/v1/pod.ts";
import type { Client } from "../../src/client/contract.ts";
import { ifThere } from "../../src/client/requests/send.ts";
import { StatusError } from "../../src/machinery/status/status.ts";

export interface PlayedNodes {
  stop(): Promise<void>;
}

/** Pods whose image contains "broken" never become ready. */
export function playNodes(client: Client): PlayedNodes {
  const abort = new AbortController();
  const { signal } = abort;
  const pods = client.of(Pod);
  let count = 0;
  const tend = async (pod: Pod): Promise<void> => {
    const { namespace, name = "", uid, deletionTimestamp } = pod.metadata;
    const ref = { namespace, name };
    if (deletionTimestamp) {
      // Another pod may have the name by now.
      await ifThere(pods.delete(ref, { gracePeriodSeconds: 0, ...(uid ? { uid } : {}) })).catch(ignoreConflict);
      return;
    }
    if (pod.status?.phase !== "Pending" || pod.spec?.containers?.some(({ image }) => image?.includes("broken"))) return;
    const podIP = `10.9.${count >> 8}.${count++ & 255}`;
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: now }];
    const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], startTime: now, conditions };
    await ifThere(pods.patch(ref, { status }, { subresource: "status" })).catch(ignoreConflict);
  };
  const running = (async () => {
    while (!signal.aborted) {
      const { items, resourceVersion } = await pods.list({});
      for (const pod of items) await tend(pod);
      for await (const { type, object } of pods.watch({ resourceVersion, signal }))
        if (type === "ADDED" || type === "MODIFIED") await tend(object);
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    async stop() {
      abort.abort();
      await running;
    },
  };
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof StatusError) || error.reason !== "Conflict") throw error;
}
