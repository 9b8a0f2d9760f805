/** Status paths that leave metadata alone as well: labels and annotations are not changed on the way. */

import type { ObjectMeta } from "../machinery/schema/object-meta.ts";

interface Parent {
  readonly metadata: ObjectMeta;
}

/** Everything of the parent but status, with the resourceVersion and the owners that the writer names. */
export function keepMetadata(written: unknown, parent: Parent): object {
  // The registry has decoded the body as the parent's kind.
  const { metadata, status } = written as { metadata: ObjectMeta; status?: unknown };
  const { resourceVersion, managedFields } = metadata;
  const { managedFields: _before, ...kept } = parent.metadata;
  const { status: _status, ...rest } = parent as Parent & { status?: unknown };
  return {
    ...rest,
    metadata: {
      ...kept,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    ...(status === undefined ? {} : { status }),
  };
}
