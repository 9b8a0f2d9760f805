/** The deletion of a definition: its objects are deleted first, and a finalizer of the server holds it until they are gone. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { timeText } from "../../../machinery/values/time.ts";
import type { DefinitionStatus } from "../v1/definition-parts.ts";

/** In orch's names. */
const neutralFinalizer = "customresourcecleanup.apiextensions.orch.io";

export const cleanupFinalizer = ({ vocabulary }: Environment): string => vocabulary.word(neutralFinalizer);

/** The condition that reports the progress of the deletion of a definition's objects. */
export const terminatingCondition = "Terminating";

interface Definition {
  readonly metadata: ObjectMeta;
  status?: DefinitionStatus;
}

export function beginDefinitionDeletion(definition: Definition, environment: Environment): void {
  const { metadata, status } = definition;
  const finalizer = cleanupFinalizer(environment);
  if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  if (status === undefined) return;
  const others = (status.conditions ?? []).filter(({ type }) => type !== terminatingCondition);
  status.conditions = [
    ...others,
    {
      type: terminatingCondition,
      status: "True",
      lastTransitionTime: timeText(environment.clock.now()),
      reason: "InstanceDeletionPending",
      message: "the definition is being deleted; its objects will be deleted soon",
    },
  ];
}
