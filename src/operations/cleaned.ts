/** Removes the fields that the server sets, so that objects can be created elsewhere. */

import { copyJson, isObject, type JsonObject } from "../machinery/json/json-value.ts";

const serverFields = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
];

export function cleaned(value: Readonly<JsonObject>): JsonObject {
  const result: JsonObject = copyJson({ ...value });
  const metadata = object(result, "metadata");
  for (const field of serverFields) delete metadata[field];
  const annotations = object(metadata, "annotations");
  for (const key of Object.keys(annotations))
    if (/last-applied-configuration$|^deployment\.(orch|kubernetes)\.io\/revision$/.test(key)) delete annotations[key];
  if (isObject(metadata["annotations"]) && Object.keys(annotations).length === 0) delete metadata["annotations"];
  delete result["status"];
  if (result["kind"] === "Service") {
    const spec = object(result, "spec");
    if (spec["clusterIP"] !== "None") for (const key of ["clusterIP", "clusterIPs"]) delete spec[key];
  }
  if (result["kind"] === "Pod") delete object(result, "spec")["nodeName"];
  return result;
}

const object = (value: JsonObject, key: string): JsonObject => {
  const found = value[key];
  return isObject(found) ? found : {};
};
