/** Warnings about names that become parts of others. */

import type { ObjectMeta } from "../machinery/schema/object-meta.ts";

const labelBytesMax = 63;

/** Warns about a new object after which pods are named: their hostnames are labels. `of`: what is named after a pod itself. */
export function podNameWarnings({ name = "" }: ObjectMeta, of = "Pod names and hostnames"): readonly string[] {
  // The name is a valid one, so nothing else can be wrong with it.
  const problems = [
    ...(name.length > labelBytesMax ? [`must be no more than ${labelBytesMax} bytes`] : []),
    ...(name.includes(".") ? ["must not contain dots"] : []),
  ];
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${of}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
