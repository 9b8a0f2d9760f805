/** The scale path of kinds that have a number of replicas. */

import { validateMetadata } from "../machinery/meta/metadata.ts";
import { checker } from "../machinery/schema/constraints.ts";
import type { Subresource } from "../machinery/schema/kind.ts";
import type { ObjectMeta } from "../machinery/schema/object-meta.ts";
import type { FieldErrors } from "../machinery/status/field-error.ts";
import { ScaleSpec } from "./autoscaling/v1/scale.ts";
import { has } from "./features.ts";

const checkSpec = checker(ScaleSpec);

interface Scalable {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

/** `selector` prints which pods count, as the text of a label selector. */
export function scale<T extends Scalable>(selector: (parent: T) => string): Subresource<T> {
  return {
    name: "scale",
    verbs: ["get", "patch", "update"],
    accepts: { group: "autoscaling", version: "v1", kind: "Scale" },
    replicas: ["spec", "replicas"],
    view(parent) {
      const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
      const replicas = parent.spec?.replicas;
      const text = selector(parent);
      return {
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
        spec: replicas ? { replicas } : {},
        status: { replicas: parent.status?.replicas ?? 0, ...(text === "" ? {} : { selector: text }) },
      };
    },
    merge(written, parent) {
      // The registry has decoded the body as a Scale.
      const { spec } = written as { spec?: { replicas?: number } };
      return { ...parent, spec: { ...parent.spec, replicas: spec?.replicas ?? 0 } };
    },
    // A Scale of 0 replicas omits the field, so the field has no owner.
    owned(next, environment) {
      if (!has(environment, "emptyScales") || next.spec?.replicas !== 0) return next;
      const { replicas: _none, ...spec } = next.spec;
      return { ...next, spec };
    },
    validateWritten(written, environment): FieldErrors {
      // The registry has decoded the body as a Scale.
      const { spec } = written as { spec?: ScaleSpec };
      return [
        // Since 1.22 the namespace of the path counts where the body names none.
        ...validateMetadata(written.metadata, {
          namespaced: written.metadata.namespace !== undefined || !has(environment, "namespacesOfScales"),
          nameRule: "subdomain",
          environment,
        }),
        ...checkSpec(spec, "spec", environment),
      ];
    },
  };
}
