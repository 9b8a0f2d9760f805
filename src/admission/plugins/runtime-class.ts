/** Sets what the runtime class of a pod requires: its overhead, and nodes on which it can run. */

import type { PodSpec } from "../../api/core/v1/pod/spec.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { RuntimeClass } from "../../api/node/v1/runtime-class.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn } from "../on.ts";
import { mergeTolerations, tolerationsMergedMax } from "../tolerations.ts";

export function createRuntimeClass(context: AdmissionContext): AdmissionPlugin {
  const classes = context.catalog.of(RuntimeClass);
  /** Calls `use` with the pod's class; undefined: it names none. */
  const withClass = (
    request: RequestOn<Pod, "CREATE">,
    use: (spec: PodSpec, found: RuntimeClass | undefined) => void,
  ) => {
    const { spec } = request.object;
    if (spec === undefined) return;
    const name = spec.runtimeClassName;
    if (!name) return use(spec, undefined);
    const go = (found: RuntimeClass | undefined) => {
      if (found === undefined) throw refuse(request, `RuntimeClass "${name}" not found`);
      use(spec, found);
    };
    const found = lookUp(context, classes, { namespace: "", name }, request);
    return found instanceof Promise ? found.then(go) : go(found);
  };
  return plugin("RuntimeClass", [
    on(Pod, "CREATE", {
      mutate: (request) =>
        withClass(request, (spec, found) => {
          if (found === undefined) return;
          setOverhead(request, spec, found);
          setScheduling(request, spec, found);
        }),
      validate: (request) =>
        withClass(request, (spec, found) => {
          const { podFixed } = found?.overhead ?? {};
          if (found?.overhead === undefined && Object.keys(spec.overhead ?? {}).length === 0) return;
          if (found?.overhead !== undefined && sameValue(spec.overhead ?? {}, podFixed ?? {})) return;
          throw refuse(request, "spec.overhead must equal the overhead of the RuntimeClass");
        }),
    }),
  ]);
}

function setOverhead(request: AdmissionRequest, spec: PodSpec, { overhead }: RuntimeClass): void {
  if (overhead === undefined) return;
  // Even an equal one: a pod may not set the overhead itself (v1.21 accepts an equal one).
  if (spec.overhead !== undefined) throw refuse(request, "spec.overhead must not be set; the RuntimeClass gives it");
  const { podFixed = {} } = overhead;
  if (Object.keys(podFixed).length > 0) spec.overhead = { ...podFixed };
}

function setScheduling(request: AdmissionRequest, spec: PodSpec, { scheduling }: RuntimeClass): void {
  if (scheduling === undefined) return;
  const own = spec.nodeSelector ?? {};
  const wanted = scheduling.nodeSelector ?? {};
  for (const [key, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(own, key) || own[key] === value) continue;
    throw refuse(request, `spec.nodeSelector[${key}] conflicts with the node selector of the RuntimeClass`);
  }
  if (Object.keys(wanted).length > 0) spec.nodeSelector = { ...own, ...wanted };
  const { tolerations: added = [] } = scheduling;
  const { tolerations: given = [] } = spec;
  if (given.length + added.length > tolerationsMergedMax) {
    throw refuse(request, `with those of its RuntimeClass the pod has more than ${tolerationsMergedMax} tolerations`);
  }
  const tolerations = mergeTolerations(given, added);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}
