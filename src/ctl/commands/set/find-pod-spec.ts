/** Where the pod spec of an object is: in itself, or in the template of a workload. */

import { isJson, type Json, kindOf, object } from "../../json.ts";

/** Undefined: it has none. */
export function podSpecOf(value: Json): Json | undefined {
  const spec = object(value, "spec");
  const inside =
    kindOf(value) === "Pod"
      ? spec
      : kindOf(value) === "CronJob"
        ? object(spec, "jobTemplate", "spec", "template")["spec"]
        : object(spec, "template")["spec"];
  return isJson(inside) ? inside : undefined;
}
