/** Pods of a DaemonSet: their tolerations, their node, and the template they were created from. */

import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Affinity, Toleration } from "../../api/core/v1/pod/scheduling.ts";
import type { PodSpec } from "../../api/core/v1/pod/spec.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { podFromTemplate } from "../parts/pods/from-template.ts";
import { podRevisionLabel } from "../parts/revisions/history.ts";
import type { NewPod } from "../plan.ts";

/** The annotation in which apps/v1 carries a field of older versions. */
const templateGenerationKey = "deprecated.daemonset.template.generation";
const templateGenerationLabel = "pod-template-generation";
const nameField = "metadata.name";

/** A daemon stays on its node whatever happens to it. */
export function daemonTolerations(
  spec: Pick<PodSpec, "hostNetwork" | "tolerations">,
  { word }: Vocabulary,
): Toleration[] {
  const taint = (name: string, effect: string): Toleration => ({
    key: word(`node.orch.io/${name}`),
    operator: "Exists",
    effect,
  });
  const added = [
    taint("not-ready", "NoExecute"),
    taint("unreachable", "NoExecute"),
    taint("disk-pressure", "NoSchedule"),
    taint("memory-pressure", "NoSchedule"),
    taint("pid-pressure", "NoSchedule"),
    taint("unschedulable", "NoSchedule"),
    ...(spec.hostNetwork ? [taint("network-unavailable", "NoSchedule")] : []),
  ];
  const all = [...(spec.tolerations ?? [])];
  for (const toleration of added) {
    const at = all.findIndex((each) => isSameTaint(each, toleration));
    if (at < 0) all.push(toleration);
    else all[at] = toleration;
  }
  return all;
}

function isSameTaint(a: Toleration, b: Toleration): boolean {
  const facts = ({ key = "", operator = "", value = "", effect = "" }: Toleration) => [key, operator, value, effect];
  return sameValue(facts(a), facts(b));
}

interface DaemonPodOptions {
  readonly owner: OwnerReference;
  /** The hash of the current template. */
  readonly hash: string;
  readonly vocabulary: Vocabulary;
}

/** The scheduler places it: the affinity allows only that node. */
export function newPod(set: DaemonSet, node: string, { owner, hash, vocabulary }: DaemonPodOptions): NewPod {
  const pod = podFromTemplate(set.spec?.template, owner);
  const spec = pod.spec ?? { containers: [] };
  const generation = set.metadata.annotations?.[templateGenerationKey];
  const isNumber = generation !== undefined && /^[0-9]{1,19}$/.test(generation);
  return {
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...(isNumber ? { [templateGenerationLabel]: generation } : {}),
        [podRevisionLabel]: hash,
      },
    },
    spec: {
      ...spec,
      affinity: onlyNode(spec.affinity, node),
      tolerations: daemonTolerations(spec, vocabulary),
    },
  };
}

function onlyNode(affinity: Affinity | undefined, node: string): Affinity {
  const term = { matchFields: [{ key: nameField, operator: "In", values: [node] }] };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
}

/** The node that it is on, or is to be on; undefined: it was not created for one. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? []) {
    const found = matchFields.find(({ key, operator }) => key === nameField && operator === "In");
    if (found !== undefined) return found.values?.length === 1 ? found.values[0] : undefined;
  }
  return undefined;
}

/** By the hash of its template, or by the generation for pods of old servers. */
export function isUpdated(set: DaemonSet, { metadata: { labels } }: Pod, hash: string): boolean {
  const generation = set.metadata.annotations?.[templateGenerationKey];
  return (
    labels?.[podRevisionLabel] === hash ||
    (generation !== undefined && labels?.[templateGenerationLabel] === generation)
  );
}
