/** What a pod refers to in its namespace: Secrets, ConfigMaps, claims of volumes and of devices, and its account, read from its JSON. */

import { listAt, objectAt, textAt } from "../../../../machinery/json/json-value.ts";

/** A JSON object whose fields are read one by one: of a stored pod, or of one that has not been validated yet. */
type Json = Readonly<Record<string, unknown>>;

export interface PodReference {
  readonly kind: "secret" | "configmap" | "claim" | "account" | "device-claim";
  readonly name: string;
}

/** Everything that the node of the pod has to read. */
export function podReferences(pod: Json): readonly PodReference[] {
  const spec = objectAt(pod, "spec");
  const references: PodReference[] = [];
  const add: Add = (kind, name) => {
    if (name !== "") references.push({ kind, name });
  };
  add("account", textAt(spec, "serviceAccountName"));
  for (const secret of listAt(spec, "imagePullSecrets")) add("secret", textAt(secret, "name"));
  for (const list of ["initContainers", "containers", "ephemeralContainers"]) {
    for (const container of listAt(spec, list)) visitContainer(container, add);
  }
  for (const claim of listAt(spec, "resourceClaims")) add("device-claim", textAt(claim, "resourceClaimName"));
  // Claims that are made of templates.
  for (const made of listAt(objectAt(pod, "status"), "resourceClaimStatuses"))
    add("device-claim", textAt(made, "resourceClaimName"));
  const name = textAt(objectAt(pod, "metadata"), "name");
  for (const volume of listAt(spec, "volumes")) visitVolume(volume, name, add);
  return references;
}

type Add = (kind: PodReference["kind"], name: string) => void;

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
export const secretRefSources = ["cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"];

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
