/** Minimal pods for tests. */

import type { Pod } from "../../../api/core/v1/pod.ts";

export interface PodParts {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly owner?: string;
  readonly node?: string;
  /** One of the words of a pod. */
  readonly phase?: string;
  /** When it became ready; absent: it is not ready. */
  readonly ready?: string;
  readonly restarts?: number;
  readonly created?: string;
  readonly deleting?: boolean;
  readonly ip?: string;
}

export function podOf(parts: PodParts): Pod {
  const {
    name = "p",
    labels,
    annotations,
    owner,
    node,
    phase = "Running",
    ready,
    restarts,
    created,
    deleting,
    ip,
  } = parts;
  const reference = { apiVersion: "apps/v1", kind: "Owner", name: "owner", uid: owner ?? "", controller: true };
  return {
    metadata: {
      name,
      namespace: "ns",
      uid: `uid-${name}`,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(owner ? { ownerReferences: [reference] } : {}),
      ...(created ? { creationTimestamp: created } : {}),
      ...(deleting ? { deletionTimestamp: "2021-05-01T00:00:00Z" } : {}),
    },
    spec: { containers: [{ name: "c", image: "i" }], ...(node ? { nodeName: node } : {}) },
    status: {
      phase: phase as "Running", // or another of its words
      ...(ip ? { podIP: ip, podIPs: [{ ip }] } : {}),
      ...(ready ? { conditions: [{ type: "Ready", status: "True", lastTransitionTime: ready }] } : {}),
      ...(restarts
        ? { containerStatuses: [{ name: "c", image: "i", imageID: "", ready: false, restartCount: restarts }] }
        : {}),
    },
  };
}
