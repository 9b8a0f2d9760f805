/** What pods and volumes refer to, read from their JSON. */

import type { Related } from "./node-graph.ts";

/** A JSON object whose fields are looked at one by one; stored objects have been validated. */
type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectAt = (from: Json | undefined, key: string): Json | undefined => {
  const value = from?.[key];
  return isObject(value) ? value : undefined;
};
const listAt = (from: Json | undefined, key: string): Json[] => {
  const value = from?.[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
};
const textAt = (from: Json | undefined, key: string): string => {
  const value = from?.[key];
  return typeof value === "string" ? value : "";
};

export interface PodReferences {
  readonly uid: string;
  readonly node: string;
  readonly references: readonly { readonly kind: Related; readonly name: string }[];
}

/** `mirrorAnnotation` marks pods that a node has made itself: they must never give it access to anything. */
export function podReferences(pod: Json, mirrorAnnotation: string): PodReferences {
  const metadata = objectAt(pod, "metadata");
  const spec = objectAt(pod, "spec");
  const references: { kind: Related; name: string }[] = [];
  const add = (kind: Related, name: string) => {
    if (name !== "") references.push({ kind, name });
  };
  const annotations = objectAt(metadata, "annotations");
  if (annotations === undefined || !Object.hasOwn(annotations, mirrorAnnotation)) {
    add("account", textAt(spec, "serviceAccountName"));
    for (const secret of listAt(spec, "imagePullSecrets")) add("secret", textAt(secret, "name"));
    for (const list of ["initContainers", "containers", "ephemeralContainers"]) {
      for (const container of listAt(spec, list)) visitContainer(container, add);
    }
    for (const volume of listAt(spec, "volumes")) visitVolume(volume, textAt(metadata, "name"), add);
  }
  return { uid: textAt(metadata, "uid"), node: textAt(spec, "nodeName"), references };
}

type Add = (kind: Related, name: string) => void;

function visitContainer(container: Json, add: Add): void {
  for (const source of listAt(container, "envFrom")) {
    add("secret", textAt(objectAt(source, "secretRef"), "name"));
    add("configmap", textAt(objectAt(source, "configMapRef"), "name"));
  }
  for (const variable of listAt(container, "env")) {
    const from = objectAt(variable, "valueFrom");
    add("secret", textAt(objectAt(from, "secretKeyRef"), "name"));
    add("configmap", textAt(objectAt(from, "configMapKeyRef"), "name"));
  }
}

/** Volume sources that read a Secret named by `secretRef.name`. */
const secretRefSources = ["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"];

function visitVolume(volume: Json, podName: string, add: Add): void {
  add("secret", textAt(objectAt(volume, "secret"), "secretName"));
  add("configmap", textAt(objectAt(volume, "configMap"), "name"));
  add("claim", textAt(objectAt(volume, "persistentVolumeClaim"), "claimName"));
  if (objectAt(volume, "ephemeral")) add("claim", `${podName}-${textAt(volume, "name")}`);
  add("secret", textAt(objectAt(volume, "azureFile"), "secretName"));
  for (const source of secretRefSources) {
    add("secret", textAt(objectAt(objectAt(volume, source), "secretRef"), "name"));
  }
  add("secret", textAt(objectAt(objectAt(volume, "csi"), "nodePublishSecretRef"), "name"));
  for (const source of listAt(objectAt(volume, "projected"), "sources")) {
    add("secret", textAt(objectAt(source, "secret"), "name"));
    add("configmap", textAt(objectAt(source, "configMap"), "name"));
  }
}

export interface VolumeReferences {
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
  for (const source of [...secretRefSources, "cinder"]) add(objectAt(objectAt(spec, source), "secretRef"));
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
