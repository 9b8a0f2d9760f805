/** Old annotations that would take effect where old clients still read them. */

import { latestAnswer } from "../../../base/latest-answer.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";

const initContainers = ["init-containers", "init-container-statuses"].flatMap((name) => [
  `pod.alpha.orch.io/${name}`,
  `pod.beta.orch.io/${name}`,
]);

/** The names as the vocabulary says them. A server has one vocabulary; only tests have several. */
const spokenNames = latestAnswer(
  "old annotations",
  (vocabulary: Environment["vocabulary"]) => new Set(initContainers.map((name) => vocabulary.word(name))),
);

/** Init containers have a field; v1.21 neither shows nor keeps the annotations that preceded it. In place. */
export function dropOldAnnotations(metadata: ObjectMeta | undefined, { vocabulary }: Environment): void {
  const annotations = metadata?.annotations;
  if (metadata === undefined || !annotations) return;
  const names = spokenNames(vocabulary);
  let kept = 0;
  for (const key in annotations) {
    if (names.has(key)) delete annotations[key];
    else kept += 1;
  }
  if (kept === 0) delete metadata.annotations;
}
