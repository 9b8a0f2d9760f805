/** Old annotations that would take effect where old clients still read them. */

import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";

const initContainers = ["init-containers", "init-container-statuses"].flatMap((name) => [
  `pod.alpha.orch.io/${name}`,
  `pod.beta.orch.io/${name}`,
]);

/** Init containers have a field; v1.21 neither shows nor keeps the annotations that preceded it. In place. */
export function dropOldAnnotations(metadata: ObjectMeta | undefined, { vocabulary }: Environment): void {
  const annotations = metadata?.annotations;
  if (metadata === undefined || !annotations) return;
  for (const name of initContainers) {
    const key = vocabulary.word(name);
    if (Object.hasOwn(annotations, key)) delete annotations[key];
  }
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}
