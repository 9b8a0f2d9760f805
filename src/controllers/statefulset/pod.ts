/** Pods of a StatefulSet: their names, their claims, and whether they match the set. */

import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/spec.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { podFromTemplate } from "../parts/pods/from-template.ts";
import { podRevisionLabel } from "../parts/revisions/history.ts";
import type { NewPod } from "../plan.ts";

/** The ordinal of a pod with a name of the set; undefined: it is not one. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name = "" } = pod.metadata;
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^(?:0|[1-9][0-9]{0,9})$/.test(rest) && Number(rest) < 2 ** 31 ? Number(rest) : undefined;
}

export const podName = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;
const claimName = (set: StatefulSet, template: string, ordinal: number) => `${template}-${podName(set, ordinal)}`;

interface PodIdentity {
  readonly owner: OwnerReference;
  /** The label with the name of the pod. */
  readonly nameLabel: string;
  /** The label with its ordinal. Absent: pods have none. */
  readonly indexLabel?: string | undefined;
}

/** `revision`: the name of the revision that has the template. */
export function newPod(
  set: StatefulSet,
  ordinal: number,
  { template, revision }: { readonly template: PodTemplateSpec | undefined; readonly revision: string },
  { owner, nameLabel, indexLabel }: PodIdentity,
): NewPod {
  const pod = podFromTemplate(template, owner);
  const name = podName(set, ordinal);
  const spec = pod.spec ?? { containers: [] };
  return {
    metadata: {
      ...pod.metadata,
      name,
      labels: {
        ...pod.metadata.labels,
        [nameLabel]: name,
        [podRevisionLabel]: revision,
        ...(indexLabel === undefined ? {} : { [indexLabel]: String(ordinal) }),
      },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...volumesFor(set, ordinal, spec.volumes ?? []),
    },
  };
}

type Volumes = NonNullable<NonNullable<Pod["spec"]>["volumes"]>;

/** Claims first; they replace volumes of the template with the same name. */
function volumesFor(set: StatefulSet, ordinal: number, given: Volumes): { volumes?: Volumes } {
  const templates = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? "");
  const claims = templates.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: claimName(set, name, ordinal) },
  }));
  const replaced = new Set(templates);
  const volumes = [...claims, ...given.filter(({ name }) => !replaced.has(name))];
  return volumes.length === 0 ? {} : { volumes };
}

/** The claims that the pod needs. */
export function claimsFor(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { namespace } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
      name: claimName(set, metadata?.name ?? "", ordinal),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata?.labels, ...set.spec?.selector?.matchLabels },
    },
    ...(spec === undefined ? {} : { spec }),
  }));
}

export const revisionOf = (pod: { metadata: { labels?: Record<string, string> } }): string =>
  pod.metadata.labels?.[podRevisionLabel] ?? "";

export const hasIdentity = (pod: Pod, nameLabel: string): boolean =>
  pod.metadata.labels?.[nameLabel] === pod.metadata.name;

export function hasStorage(set: StatefulSet, pod: Pod, ordinal: number): boolean {
  return (set.spec?.volumeClaimTemplates ?? []).every(({ metadata }) => {
    const volume = pod.spec?.volumes?.find(({ name }) => name === metadata?.name);
    return volume?.persistentVolumeClaim?.claimName === claimName(set, metadata?.name ?? "", ordinal);
  });
}

/** Gives the pod its name label and its claims. */
export function withIdentity(set: StatefulSet, pod: Pod, ordinal: number, nameLabel: string): Pod {
  const labels = { ...pod.metadata.labels, [nameLabel]: pod.metadata.name ?? "" };
  const volumes = hasStorage(set, pod, ordinal) ? {} : volumesFor(set, ordinal, pod.spec?.volumes ?? []);
  return { ...pod, metadata: { ...pod.metadata, labels }, spec: { containers: [], ...pod.spec, ...volumes } };
}
