/** The fields of kustomizations, of their replacements and of transformer configurations, as kustomize 5.8 reads them. */

import type { Shape } from "./shape.ts";

const texts: Shape = { list: "text" };
const textMap: Shape = { map: "text" };

const gvk = { group: "text", version: "text", kind: "text" } as const;
const fieldSpec: Shape = { members: { ...gvk, path: "text", create: "boolean" } };
const fieldSpecs: Shape = { list: fieldSpec };
const metadata: Shape = { members: { name: "text", namespace: "text", labels: textMap, annotations: textMap } };

const selector: Shape = {
  members: {
    ...gvk,
    apiVersion: "text",
    name: "text",
    namespace: "text",
    labelSelector: "text",
    annotationSelector: "text",
  },
};
const fieldOptions: Shape = {
  members: { delimiter: "text", index: "integer", encoding: "text", create: "boolean" },
};

const patch: Shape = {
  members: {
    path: "text",
    patch: "text",
    target: selector,
    options: { members: { allowNameChange: "boolean", allowKindChange: "boolean" } },
  },
};

const generatorOptions: Shape = {
  members: { labels: textMap, annotations: textMap, disableNameSuffixHash: "boolean", immutable: "boolean" },
};
const generator = {
  namespace: "text",
  name: "text",
  behavior: "text",
  literals: texts,
  files: texts,
  envs: texts,
  env: "text",
  options: generatorOptions,
} as const;

const replacementFields = {
  source: { members: { ...gvk, name: "text", namespace: "text", fieldPath: "text", options: fieldOptions } },
  sourceValue: "text",
  targets: {
    list: {
      members: { select: selector, reject: { list: selector }, fieldPaths: texts, options: fieldOptions },
    },
  },
} as const;

export const replacementShape: Shape = { members: replacementFields };

export const kustomizationShape: Shape = {
  members: {
    apiVersion: "text",
    kind: "text",
    metadata,
    openapi: textMap,
    namePrefix: "text",
    nameSuffix: "text",
    namespace: "text",
    commonLabels: textMap,
    labels: {
      list: {
        members: { pairs: textMap, includeSelectors: "boolean", includeTemplates: "boolean", fields: fieldSpecs },
      },
    },
    commonAnnotations: textMap,
    patchesStrategicMerge: texts,
    patchesJson6902: { list: patch },
    patches: { list: patch },
    images: {
      list: { members: { name: "text", newName: "text", newTag: "text", tagSuffix: "text", digest: "text" } },
    },
    imageTags: {
      list: { members: { name: "text", newName: "text", newTag: "text", tagSuffix: "text", digest: "text" } },
    },
    replacements: { list: { members: { ...replacementFields, path: "text" } } },
    replicas: { list: { members: { name: "text", count: "integer" } } },
    vars: {
      list: {
        members: {
          name: "text",
          objref: { members: { ...gvk, apiVersion: "text", name: "text", namespace: "text" } },
          fieldref: { members: { fieldpath: "text" } },
        },
      },
    },
    sortOptions: {
      members: { order: "text", legacySortOptions: { members: { orderFirst: texts, orderLast: texts } } },
    },
    resources: texts,
    components: texts,
    crds: texts,
    bases: texts,
    configMapGenerator: { list: { members: generator } },
    secretGenerator: { list: { members: { ...generator, type: "text" } } },
    helmGlobals: "any",
    helmCharts: { list: "any" },
    helmChartInflationGenerator: { list: "any" },
    generatorOptions,
    configurations: texts,
    generators: texts,
    transformers: texts,
    validators: texts,
    buildMetadata: texts,
  },
};

export const configurationShape: Shape = {
  members: {
    namePrefix: fieldSpecs,
    nameSuffix: fieldSpecs,
    namespace: fieldSpecs,
    commonLabels: fieldSpecs,
    labels: fieldSpecs,
    templateLabels: fieldSpecs,
    commonAnnotations: fieldSpecs,
    nameReference: { list: { members: { ...gvk, fieldSpecs } } },
    varReference: fieldSpecs,
    images: fieldSpecs,
    replicas: fieldSpecs,
  },
};
