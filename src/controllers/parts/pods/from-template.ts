/** A new pod from the template of a controller. */

import type { PodTemplateSpec } from "../../../api/core/v1/pod/spec.ts";
import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { OwnerReference } from "../../../machinery/schema/object-meta.ts";
import type { NewPod } from "../../plan.ts";

/** Labels, annotations, finalizers and spec are copied, so that the caller may change them. */
export function podFromTemplate(template: PodTemplateSpec | undefined, owner: OwnerReference): NewPod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    metadata: {
      generateName: podNamePrefix(owner.name),
      labels: { ...labels },
      annotations: { ...annotations },
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [owner],
    },
    ...(template?.spec === undefined ? {} : { spec: structuredClone(template.spec) }),
  };
}

/** With a dash at the end if the result is a valid pod name prefix. */
export function podNamePrefix(owner: string): string {
  const prefix = `${owner}-`;
  return isDns1123Subdomain(`${prefix.slice(0, -2)}a`).length === 0 ? prefix : owner;
}
