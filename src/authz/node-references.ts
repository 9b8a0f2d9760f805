/** What pods and volumes refer to, read from their JSON. */

import type { PodReference } from "../api/core/v1/pod/references.ts";
import { podReferences as referencesOfPod, secretRefSources } from "../api/core/v1/pod/references.ts";
import { objectAt, textAt } from "../machinery/json/json-value.ts";

/** A JSON object whose fields are read one by one; stored objects have been validated. */
type Json = Readonly<Record<string, unknown>>;

interface PodReferences {
  readonly uid: string;
  readonly node: string;
  /** Whether claims of devices are made for it, so that what it refers to changes. */
  readonly hasMadeClaims: boolean;
  readonly references: readonly PodReference[];
}

/** `mirrorAnnotation` marks pods that a node has created itself: they must never give the node access to anything. */
export function podReferences(pod: Json, mirrorAnnotation: string): PodReferences {
  const metadata = objectAt(pod, "metadata");
  const annotations = objectAt(metadata, "annotations");
  const isMirror = annotations !== undefined && Object.hasOwn(annotations, mirrorAnnotation);
  return {
    uid: textAt(metadata, "uid"),
    node: textAt(objectAt(pod, "spec"), "nodeName"),
    hasMadeClaims: objectAt(pod, "status")?.["resourceClaimStatuses"] !== undefined,
    references: isMirror ? [] : referencesOfPod(pod),
  };
}

interface VolumeReferences {
  readonly claim: { readonly namespace: string; readonly name: string } | undefined;
  readonly secrets: readonly { readonly namespace: string; readonly name: string }[];
}

/** The claim a volume is bound to, and the Secrets that a node needs to mount it. */
export function volumeReferences(volume: Json): VolumeReferences {
  const spec = objectAt(volume, "spec");
  const claimRef = objectAt(spec, "claimRef");
  if (claimRef === undefined) return { claim: undefined, secrets: [] };
  const claim = { namespace: textAt(claimRef, "namespace"), name: textAt(claimRef, "name") };
  const secrets: { namespace: string; name: string }[] = [];
  const add = (reference: Json | undefined, namespaceKey = "namespace", nameKey = "name") => {
    const name = textAt(reference, nameKey);
    if (name !== "") secrets.push({ namespace: textAt(reference, namespaceKey) || claim.namespace, name });
  };
  add(objectAt(spec, "azureFile"), "secretNamespace", "secretName");
  for (const source of secretRefSources) add(objectAt(objectAt(spec, source), "secretRef"));
  const csi = objectAt(spec, "csi");
  add(objectAt(csi, "nodePublishSecretRef"));
  add(objectAt(csi, "nodeStageSecretRef"));
  return { claim, secrets };
}

/** The ConfigMap of spec.configSource of a node; undefined: none. */
export function nodeConfiguration(node: Json): { namespace: string; name: string } | undefined {
  const configMap = objectAt(objectAt(objectAt(node, "spec"), "configSource"), "configMap");
  const name = textAt(configMap, "name");
  return name === "" ? undefined : { namespace: textAt(configMap, "namespace"), name };
}

/** The node an attachment is for. */
export function attachmentNode(attachment: Json): string {
  return textAt(objectAt(attachment, "spec"), "nodeName");
}
