/** Warnings about names that become parts of others. */

import { isDns1123Label } from "../machinery/meta/names.ts";
import type { ObjectMeta } from "../machinery/schema/object-meta.ts";

/** Warns about a new object after which pods are named: their hostnames are labels. */
export function podNameWarnings({ name = "" }: ObjectMeta): readonly string[] {
  const problems = isDns1123Label(name);
  if (name === "" || problems.length === 0) return [];
  return [
    `metadata.name: pods and their hostnames are named after it, so it should be a DNS label: ${problems.join(", ")}`,
  ];
}
