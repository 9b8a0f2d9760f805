/** Adds the tolerations of the namespace to pods, refuses pods that conflict with them, and enforces the list of allowed ones. */

import type { Namespace } from "../../api/core/v1/namespace.ts";
import { qosClass } from "../../api/core/v1/pod/qos.ts";
import { Toleration } from "../../api/core/v1/pod/scheduling.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { elided, list, type Static, struct } from "../../machinery/schema/build.ts";
import { decodeObject } from "../../machinery/schema/decode.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type ConfigurationKind, readConfiguration } from "../configuration/configuration-kind.ts";
import { type AdmissionContext, refuse, withNamespace } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn } from "../on.ts";
import { conflictingToleration, containsToleration, mergeTolerations, tolerationsMergedMax } from "../tolerations.ts";

/** The lists for namespaces without annotations. */
const fields = struct("config.PodTolerationRestriction", {
  default: elided(list(Toleration)),
  whitelist: elided(list(Toleration)),
});
const PodTolerationRestrictionConfiguration: ConfigurationKind<Static<typeof fields>> = {
  versions: [{ apiVersion: "podtolerationrestriction.admission.orch.io/v1alpha1", kind: "Configuration" }],
  schema: fields,
};
/** An annotation's list, in the form in which the schema language reads one. */
const annotated = struct("config.AnnotatedTolerations", { tolerations: elided(list(Toleration)) });

export function createPodTolerationRestriction(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  const given = context.configuration("PodTolerationRestriction");
  const cluster = given ? readConfiguration(PodTolerationRestrictionConfiguration, given, vocabulary) : {};
  const defaultKey = vocabulary.word("scheduler.alpha.orch.io/defaultTolerations");
  const allowedKey = vocabulary.word("scheduler.alpha.orch.io/tolerationsWhitelist");
  const memoryPressure: Toleration = {
    key: vocabulary.word("node.orch.io/memory-pressure"),
    operator: "Exists",
    effect: "NoSchedule",
  };
  const check = (request: RequestOn<Pod>, namespace: Namespace): void => {
    const { tolerations = [] } = request.object.spec ?? {};
    if (tolerations.length === 0) return;
    const own = annotatedTolerations(request, namespace, allowedKey);
    const allowed = own ?? cluster.whitelist ?? [];
    if (allowed.length === 0) return;
    checkCount(request, [...tolerations, ...allowed]);
    const index = tolerations.findIndex((toleration) => !allowed.some((one) => containsToleration(one, toleration)));
    if (index < 0) return;
    const list = own === undefined ? "the whitelist of the cluster" : `the whitelist of namespace ${request.namespace}`;
    throw refuse(request, `spec.tolerations[${index}]: is not allowed by ${list}`);
  };
  const merge = (request: RequestOn<Pod>, namespace: Namespace): void => {
    const pod = request.object;
    if (pod.spec === undefined) return;
    const own = pod.spec.tolerations ?? [];
    const defaults =
      request.operation === "CREATE"
        ? (annotatedTolerations(request, namespace, defaultKey) ?? cluster.default ?? [])
        : [];
    // A pod that requests resources may stay on a node under memory pressure: it is not evicted first.
    const added = isBestEffort(pod) ? defaults : [...defaults, memoryPressure];
    checkCount(request, [...own, ...added]);
    const conflict = conflictingToleration(own, defaults);
    if (conflict >= 0)
      throw refuse(request, `spec.tolerations[${conflict}]: conflicts with the default tolerations of the namespace`);
    // Merging drops tolerations that others contain, so a pod to which nothing is added is not changed.
    if (added.length > 0) pod.spec.tolerations = mergeTolerations(own, added);
  };
  return plugin("PodTolerationRestriction", [
    on(Pod, ["CREATE", "UPDATE"], {
      mutate: (request) =>
        withNamespace(context, request, (namespace) => {
          merge(request, namespace);
          check(request, namespace);
        }),
      validate: (request) => withNamespace(context, request, (namespace) => check(request, namespace)),
    }),
  ]);
}

const isBestEffort = ({ spec }: Pod): boolean => qosClass(spec) === "BestEffort";

/** Each is compared with each, so their number is bounded. */
function checkCount(request: AdmissionRequest, tolerations: readonly Toleration[]): void {
  if (tolerations.length <= tolerationsMergedMax) return;
  throw refuse(request, `with those of its namespace the pod has more than ${tolerationsMergedMax} tolerations`);
}

/** Undefined: the namespace has no annotation. An empty text is an empty list, which wins over the cluster's. */
function annotatedTolerations(
  request: AdmissionRequest,
  { metadata: { annotations = {} } }: Namespace,
  key: string,
): readonly Toleration[] | undefined {
  const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  if (text === undefined) return undefined;
  if (text === "") return [];
  try {
    const tolerations: unknown = JSON.parse(text);
    if (tolerations === null) return undefined;
    if (annotated.schema.type !== "struct") throw new TypeError("declared as a struct");
    const read = decodeObject(annotated.schema, { tolerations }) as Static<typeof annotated>; // its own schema
    return read.tolerations ?? [];
  } catch {
    throw refuse(request, `annotation ${key} of namespace ${request.namespace} must be a JSON list of tolerations`);
  }
}
