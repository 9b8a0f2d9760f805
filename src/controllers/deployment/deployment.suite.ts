/** Minimal Deployments and replica sets for tests. */

import type { Deployment, DeploymentSpec, DeploymentStatus } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { orch } from "../../vocabulary/orch.ts";
import { deploymentKeys, hashLabel } from "./keys.ts";
import type { RolloutContext } from "./rollout.ts";

export const nowMs = Date.parse("2021-05-01T00:10:00Z");
export const context: RolloutContext = {
  keys: deploymentKeys(orch),
  nowMs,
  owner: { apiVersion: "apps/v1", kind: "Deployment" },
};

export const templateOf = (image: string) => ({
  metadata: { labels: { app: "x" } },
  spec: { containers: [{ name: "c", image }] },
});

export interface DeploymentParts {
  readonly replicas?: number;
  readonly image?: string;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  readonly spec?: Partial<DeploymentSpec>;
  readonly status?: DeploymentStatus;
  readonly annotations?: Record<string, string>;
}

export function deploymentOf(parts: DeploymentParts): Deployment {
  const { replicas = 1, image = "img:1", surge = 1, unavailable = 0, spec, status, annotations } = parts;
  return {
    metadata: { name: "d", namespace: "ns", uid: "uid-d", generation: 1, ...(annotations ? { annotations } : {}) },
    spec: {
      replicas,
      selector: { matchLabels: { app: "x" } },
      template: templateOf(image),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

export interface SetParts {
  readonly size: number;
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
  readonly revision?: number;
  /** The minute in which it was made. */
  readonly made?: number;
  readonly actual?: number;
}

/** Reconciled: it has the desired number of pods. */
export function setOf(image: string, parts: SetParts): ReplicaSet {
  const { size, available = 0, desired = size, max = desired + 1, revision = 1, made = 0, actual = size } = parts;
  const template = templateOf(image);
  const name = `d-${image.replace(":", "")}`;
  const labels = { ...template.metadata.labels, [hashLabel]: name };
  const { keys } = context;
  return {
    metadata: {
      name,
      namespace: "ns",
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: new Date(Date.parse("2021-05-01T00:00:00Z") + made * 60_000).toISOString().replace(".000", ""),
      annotations: { [keys.revision]: `${revision}`, [keys.desired]: `${desired}`, [keys.max]: `${max}` },
    },
    spec: { replicas: size, selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } },
    status: { replicas: actual, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  };
}
