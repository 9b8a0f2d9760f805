/** Restricts the pods of a namespace to the nodes that its annotation, or the plugin's configuration, selects. */

import type { Namespace } from "../../api/core/v1/namespace.ts";
import { isLabelValue, isQualifiedName } from "../../machinery/meta/names.ts";
import { elided, map, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notFound } from "../../machinery/status/status.ts";
import { type ConfigurationKind, readConfiguration } from "../configuration/configuration-kind.ts";
import { type AdmissionContext, findKind, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";
import { isPodWrite, podOf } from "../pod-request.ts";

/** `clusterDefaultNodeSelector` is for namespaces without the annotation, every other key is a namespace with what it may select. */
const fields = struct("config.PodNodeSelector", { podNodeSelectorPluginConfig: elided(map(string())) });
const PodNodeSelectorConfiguration: ConfigurationKind<Static<typeof fields>> = { versions: [], schema: fields };
const defaultKey = "clusterDefaultNodeSelector";

type Labels = ReadonlyMap<string, string>;
const none: Labels = new Map();

export function createPodNodeSelector(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  const annotation = vocabulary.word("scheduler.alpha.orch.io/node-selector");
  const selectors = configuredSelectors(context);
  const selectorOf = (request: AdmissionRequest, found: ApiObject | undefined): Labels => {
    if (found === undefined) throw notFound({ group: "", kind: "namespaces" }, request.namespace);
    const { annotations = {} } = (found as unknown as Namespace).metadata; // all that this family holds
    const text = Object.hasOwn(annotations, annotation) ? annotations[annotation] : undefined;
    if (text === undefined) return selectors.get(defaultKey) ?? none;
    const selector = parseSelector(text);
    if (selector !== undefined) return selector;
    throw refuse(
      request,
      `annotation ${annotation} of namespace ${request.namespace} must be like key=value,other=value`,
    );
  };
  const withSelector = (request: AdmissionRequest, use: (selector: Labels) => void): void | Promise<void> => {
    const kind = findKind(context, "", "v1", "namespaces");
    if (kind === undefined) return;
    const found = lookUp(context, kind, { namespace: "", name: request.namespace });
    const go = (namespace: ApiObject | undefined) => use(selectorOf(request, namespace));
    return found instanceof Promise ? found.then(go) : go(found);
  };
  const check = (request: AdmissionRequest, selector: Labels): void => {
    const own = Object.entries(podOf(request).spec?.nodeSelector ?? {});
    const conflict = own.find(([key, value]) => selector.has(key) && selector.get(key) !== value);
    if (conflict !== undefined) {
      throw refuse(request, `spec.nodeSelector[${conflict[0]}]: conflicts with the node selector of the namespace`);
    }
    const allowed = selectors.get(request.namespace) ?? none;
    const stranger = allowed.size === 0 ? undefined : own.find(([key, value]) => allowed.get(key) !== value);
    if (stranger === undefined) return;
    throw refuse(request, `spec.nodeSelector[${stranger[0]}]: is not among what the namespace may select`);
  };
  return {
    name: "PodNodeSelector",
    handles: (request) => isPodWrite(request, "CREATE"),
    mutate: (request) =>
      withSelector(request, (selector) => {
        const { spec } = podOf(request);
        if (spec === undefined) return;
        // Before it is merged: what the pod said itself is lost afterwards.
        check(request, selector);
        if (selector.size > 0) spec.nodeSelector = { ...Object.fromEntries(selector), ...spec.nodeSelector };
        check(request, selector);
      }),
    validate: (request) => withSelector(request, (selector) => check(request, selector)),
  };
}

function configuredSelectors({ configuration, catalog }: AdmissionContext): ReadonlyMap<string, Labels> {
  const given = configuration("PodNodeSelector");
  if (given === undefined) return new Map();
  const { vocabulary } = catalog.environment;
  const { podNodeSelectorPluginConfig = {} } = readConfiguration(PodNodeSelectorConfiguration, given, vocabulary);
  return new Map(
    Object.entries(podNodeSelectorPluginConfig).map(([name, text]) => {
      const selector = parseSelector(text);
      if (selector !== undefined) return [name, selector];
      throw new Error(`${given.where}: podNodeSelectorPluginConfig.${name}: must be like key=value,other=value`);
    }),
  );
}

/** "a=b, c=d"; undefined: it is not of this form. */
function parseSelector(text: string): Labels | undefined {
  if (text === "") return none;
  const labels = new Map<string, string>();
  for (const part of text.split(",")) {
    const [key = "", value, more] = part.split("=").map((side) => side.trim());
    if (value === undefined || more !== undefined || isQualifiedName(key).length > 0) return undefined;
    if (isLabelValue(value).length > 0) return undefined;
    labels.set(key, value);
  }
  return labels;
}
