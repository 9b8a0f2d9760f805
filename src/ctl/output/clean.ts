/** Removes the fields that the server sets, so that objects can be created elsewhere. */

import { copy, isJson, type Json, object } from "../json.ts";

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

export function cleaned(value: Json): Json {
  const result = copy(value);
  const metadata = object(result, "metadata");
  for (const field of serverFields) delete metadata[field];
  const annotations = object(metadata, "annotations");
  for (const key of Object.keys(annotations))
    if (/last-applied-configuration$|^deployment\.(orch|kubernetes)\.io\/revision$/.test(key)) delete annotations[key];
  if (isJson(metadata["annotations"]) && Object.keys(annotations).length === 0) delete metadata["annotations"];
  delete result["status"];
  if (result["kind"] === "Service") {
    const spec = object(result, "spec");
    if (spec["clusterIP"] !== "None") for (const key of ["clusterIP", "clusterIPs"]) delete spec[key];
  }
  if (result["kind"] === "Pod") delete object(result, "spec")["nodeName"];
  return result;
}
