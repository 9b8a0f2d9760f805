/** The files of volumes that show objects: config maps, secrets, fields of the pod, and several of them together. */

import type { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Secret } from "../../api/core/v1/secret.ts";
import { fieldText, resourceText } from "./downward.ts";
import { MissingReference, type ReferredObjects } from "./environment.ts";

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];
type Files = Map<string, Buffer>;

interface VolumeObjects extends ReferredObjects {
  /** A token of the pod's account; undefined: it was not asked for. */
  readonly token: string | undefined;
}

/** Undefined: the volume shows no objects. Throws MissingReference. */
export function volumeFiles(pod: Pod, volume: Volume, objects: VolumeObjects): ReadonlyMap<string, Buffer> | undefined {
  const files: Files = new Map();
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) addData(files, "configmap", { ...configMap, object: objects.configMap(configMap.name ?? "") });
  else if (secret)
    addData(files, "secret", {
      ...secret,
      name: secret.secretName ?? "",
      object: objects.secret(secret.secretName ?? ""),
    });
  else if (downwardAPI) addFields(files, pod, downwardAPI.items, objects);
  else if (projected) {
    if (isAccountVolume(volume) && objects.token === undefined) return files;
    for (const source of projected.sources ?? []) {
      if (source.configMap)
        addData(files, "configmap", { ...source.configMap, object: objects.configMap(source.configMap.name ?? "") });
      if (source.secret)
        addData(files, "secret", { ...source.secret, object: objects.secret(source.secret.name ?? "") });
      if (source.downwardAPI) addFields(files, pod, source.downwardAPI.items, objects);
      if (source.serviceAccountToken && objects.token !== undefined)
        files.set(source.serviceAccountToken.path ?? "token", Buffer.from(objects.token));
    }
  } else return undefined;
  return files;
}

/** Every pod has one, so it is filled only where somebody looks, and the pod does not wait for it. */
export const isAccountVolume = ({ projected }: Volume): boolean =>
  projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined) === true;

interface DataSource {
  readonly name?: string;
  readonly optional?: boolean | undefined;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
  readonly object: ConfigMap | Secret | undefined;
}

function addData(files: Files, kind: string, { name = "", optional, items = [], object }: DataSource): void {
  if (object === undefined) {
    if (optional === true) return;
    throw new MissingReference(`${kind} ${JSON.stringify(name)} not found`);
  }
  const data = bytesOf(kind, object);
  if (items.length === 0) for (const [key, bytes] of data) files.set(key, bytes);
  for (const { key, path } of items) {
    const bytes = data.get(key);
    if (bytes !== undefined) files.set(path, bytes);
    else if (optional !== true)
      throw new MissingReference(`references non-existent ${kind === "secret" ? "secret" : "config"} key: ${key}`);
  }
}

/** The bytes of an object are made once, for all pods that show it. */
const made = new WeakMap<object, ReadonlyMap<string, Buffer>>();

function bytesOf(kind: string, object: ConfigMap | Secret): ReadonlyMap<string, Buffer> {
  const known = made.get(object);
  if (known !== undefined) return known;
  const data = new Map<string, Buffer>();
  const encoding = kind === "secret" ? "base64" : "utf8";
  for (const [key, value] of Object.entries(object.data ?? {})) data.set(key, Buffer.from(value, encoding));
  const encoded = "binaryData" in object ? object.binaryData : undefined;
  for (const [key, value] of Object.entries(encoded ?? {})) data.set(key, Buffer.from(value, "base64"));
  made.set(object, data);
  return data;
}

type DownwardItems = NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>;

function addFields(files: Files, pod: Pod, items: DownwardItems | undefined, objects: VolumeObjects): void {
  for (const { path, fieldRef, resourceFieldRef } of items ?? []) {
    if (fieldRef) files.set(path, Buffer.from(fieldText(pod, fieldRef)));
    else if (resourceFieldRef) files.set(path, Buffer.from(resourceText(pod, resourceFieldRef, objects.node)));
  }
}
