/** The steps in which a kustomization changes its resources, in kustomize's order. */

import { setEntries, setNamespace } from "./common-fields.ts";
import { type FieldSpec, mergeSpecs } from "./field-spec.ts";
import { setImage, setReplicas } from "./images.ts";
import { membersIn, textsIn } from "./kustomization.ts";
import { addPrefix, addSuffix } from "./names.ts";
import type { BuildOrigin } from "./origin.ts";
import { applyJsonPatches, applyPatch, applyStrategicMerges, type PatchContext } from "./patches.ts";
import { applyReplacement, replacementsOf } from "./replacements.ts";
import type { ResourceList } from "./resource-list.ts";
import { specsOf, type TransformerConfig } from "./transformer-config.ts";
import { at, isMembers, type Members, plainValue, textAt } from "./value.ts";

export interface Step {
  /** The name of kustomize's built-in transformer that does this. */
  readonly kind: string;
  readonly run: (list: ResourceList) => void;
  readonly origin?: BuildOrigin;
}

export interface StepContext extends PatchContext {
  readonly config: TransformerConfig;
}

export function stepsOf(spec: Members, context: StepContext): Step[] {
  const { folder, config } = context;
  const steps: Step[] = [];
  const add = (kind: string, run: (list: ResourceList) => void) => steps.push({ kind, run });
  const merges = textsIn(spec, "patchesStrategicMerge");
  if (merges.length > 0)
    add("PatchStrategicMergeTransformer", (list) => {
      for (const entry of merges) applyStrategicMerges(list, entry, context);
    });
  for (const entry of membersIn(spec, "patches")) add("PatchTransformer", (list) => applyPatch(list, entry, context));
  const namespace = textAt(spec, "namespace");
  if (namespace !== "")
    add("NamespaceTransformer", (list) => setNamespace(list, { namespace, specs: config.namespace }));
  const [prefix, suffix] = [textAt(spec, "namePrefix"), textAt(spec, "nameSuffix")];
  if (prefix !== "") add("PrefixTransformer", (list) => addPrefix(list, prefix, config.namePrefix));
  if (suffix !== "") add("SuffixTransformer", (list) => addSuffix(list, suffix, config.nameSuffix));
  const labels = membersIn(spec, "labels");
  for (const label of labels) {
    const specs = labelSpecs(label, config, folder.path);
    add("LabelTransformer", (list) => setEntries(list, entriesOf(label, "pairs"), specs));
  }
  const commonLabels = entriesOf(spec, "commonLabels");
  // As in kustomize, other labels bring this step with them.
  if (labels.length > 0 || commonLabels !== undefined)
    add("LabelTransformer", (list) => setEntries(list, commonLabels, config.commonLabels));
  const annotations = entriesOf(spec, "commonAnnotations");
  if (annotations !== undefined)
    add("AnnotationsTransformer", (list) => setEntries(list, annotations, config.commonAnnotations));
  for (const entry of membersIn(spec, "patchesJson6902"))
    add("PatchJson6902Transformer", (list) => applyJsonPatches(list, entry, folder));
  for (const rule of membersIn(spec, "replicas"))
    add("ReplicaCountTransformer", (list) => setReplicas(list, rule, config.replicas));
  for (const rule of membersIn(spec, "images"))
    add("ImageTagTransformer", (list) => setImage(list, rule, config.images));
  const replacements = membersIn(spec, "replacements").flatMap((entry) => replacementsOf(entry, folder));
  if (replacements.length > 0)
    add("ReplacementTransformer", (list) => {
      for (const replacement of replacements) applyReplacement(list, replacement);
    });
  return steps;
}

function labelSpecs(label: Members, config: TransformerConfig, source: string): readonly FieldSpec[] {
  const own = specsOf(plainValue(at(label, "fields") ?? null), source);
  if (at(label, "includeSelectors") === true) return mergeSpecs(own, config.commonLabels);
  if (at(label, "includeTemplates") === true)
    return mergeSpecs(mergeSpecs(own, config.templateLabels), [{ path: "metadata/labels", create: true }]);
  return mergeSpecs(own, [{ path: "metadata/labels", create: true }]);
}

function entriesOf(value: Members, field: string): Members | undefined {
  const entries = at(value, field);
  return isMembers(entries) && Object.keys(entries).length > 0 ? entries : undefined;
}
