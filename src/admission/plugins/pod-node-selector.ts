/** Restricts the pods of a namespace to the nodes that its annotation, or the plugin's configuration, selects. */

import type { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { isLabelValue, isQualifiedName } from "../../machinery/meta/names.ts";
import { elided, map, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type ConfigurationKind, readConfiguration } from "../configuration/configuration-kind.ts";
import { type AdmissionContext, refuse, withNamespace } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn } from "../on.ts";

/** `clusterDefaultNodeSelector` is for namespaces without the annotation, every other key is a namespace with what it may select. */
const fields = struct("config.PodNodeSelector", { podNodeSelectorPluginConfig: elided(map(string())) });
const PodNodeSelectorConfiguration: ConfigurationKind<Static<typeof fields>> = { versions: [], schema: fields };
const defaultKey = "clusterDefaultNodeSelector";

type Labels = ReadonlyMap<string, string>;
const none: Labels = new Map();

export function createPodNodeSelector(context: AdmissionContext): AdmissionPlugin {
  const annotation = context.catalog.environment.vocabulary.word("scheduler.alpha.orch.io/node-selector");
  const selectors = configuredSelectors(context);
  const selectorOf = (request: AdmissionRequest, { metadata: { annotations = {} } }: Namespace): Labels => {
    const text = Object.hasOwn(annotations, annotation) ? annotations[annotation] : undefined;
    if (text === undefined) return selectors.get(defaultKey) ?? none;
    const selector = parseSelector(text);
    if (selector !== undefined) return selector;
    const place = `annotation ${annotation} of namespace ${request.namespace}`;
    throw refuse(request, `${place} must be like key=value,other=value`);
  };
  const check = (request: RequestOn<Pod>, selector: Labels): void => {
    const own = Object.entries(request.object.spec?.nodeSelector ?? {});
    const conflict = own.find(([key, value]) => selector.has(key) && selector.get(key) !== value);
    if (conflict !== undefined) {
      throw refuse(request, `spec.nodeSelector[${conflict[0]}]: conflicts with the node selector of the namespace`);
    }
    const allowed = selectors.get(request.namespace) ?? none;
    const stranger = allowed.size === 0 ? undefined : own.find(([key, value]) => allowed.get(key) !== value);
    if (stranger === undefined) return;
    throw refuse(
      request,
      `spec.nodeSelector[${stranger[0]}]: is not allowed by the node selector whitelist of the namespace`,
    );
  };
  return plugin("PodNodeSelector", [
    on(Pod, "CREATE", {
      mutate: (request) =>
        withNamespace(context, request, (namespace) => {
          const { spec } = request.object;
          if (spec === undefined) return;
          const selector = selectorOf(request, namespace);
          if (selector.size > 0) spec.nodeSelector = { ...Object.fromEntries(selector), ...spec.nodeSelector };
          check(request, selector);
        }),
      validate: (request) =>
        withNamespace(context, request, (namespace) => check(request, selectorOf(request, namespace))),
    }),
  ]);
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
