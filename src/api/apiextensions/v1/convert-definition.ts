/**
 * Between v1 and v1beta1. What all versions of a kind say alike, v1beta1 says once at the top; v1 says it for each:
 *
 *   v1       versions: [{ name: v1, schema: A }, { name: v2, schema: A }]
 *   v1beta1  validation: A, versions: [{ name: v1 }, { name: v2 }]
 */

import { given, sameJson } from "../../../machinery/json/json-value.ts";
import type {
  CustomResourceConversion as HubConversion,
  CustomResourceDefinitionSpec as HubSpec,
  CustomResourceDefinitionVersion as HubVersion,
} from "../v1beta1/definition-spec.ts";
import type {
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "./definition-spec.ts";

export function specToHub(spec: CustomResourceDefinitionSpec): HubSpec {
  const { versions: each, conversion, preserveUnknownFields, ...same } = spec;
  const versions = (each ?? []).map(versionToHub);
  const common = commonParts(versions);
  return given({
    ...same,
    version: versions[0]?.name,
    versions: versions.map((version) => withoutParts(version, common)),
    ...common,
    conversion: conversion && conversionToHub(conversion),
    preserveUnknownFields: preserveUnknownFields === true,
  });
}

export function specFromHub(spec: HubSpec): CustomResourceDefinitionSpec {
  const { version, versions, validation, subresources, additionalPrinterColumns: columns, conversion, ...rest } = spec;
  const { selectableFields, ...same } = rest;
  const named: readonly HubVersion[] =
    (versions ?? []).length === 0 && version ? [{ name: version, served: true, storage: true }] : (versions ?? []);
  // Made once and shared: each of thousands of versions may have thousands of columns.
  const ofAll = columns && columnsFromHub(columns);
  const common = given({ schema: validation, subresources, additionalPrinterColumns: ofAll, selectableFields });
  return given({
    ...same,
    versions: named.map((one) => ({ ...versionFromHub(one), ...common })),
    conversion: conversion && conversionFromHub(conversion),
    preserveUnknownFields: spec.preserveUnknownFields === true,
  });
}

interface Common {
  validation: HubVersion["schema"];
  subresources: HubVersion["subresources"];
  additionalPrinterColumns: HubVersion["additionalPrinterColumns"];
  selectableFields: HubVersion["selectableFields"];
}

/** The parts that are equal in all versions; a part in which they differ is absent. */
function commonParts(versions: readonly HubVersion[]): Partial<Common> {
  const [first] = versions;
  const isCommon = (part: keyof HubVersion) => versions.every((version) => sameJson(version[part], first?.[part]));
  return {
    ...(isCommon("schema") ? { validation: first?.schema } : {}),
    ...(isCommon("subresources") ? { subresources: first?.subresources } : {}),
    ...(isCommon("additionalPrinterColumns") ? { additionalPrinterColumns: first?.additionalPrinterColumns } : {}),
    ...(isCommon("selectableFields") ? { selectableFields: first?.selectableFields } : {}),
  };
}

function withoutParts(version: HubVersion, common: Partial<Common>): HubVersion {
  const kept = { ...version };
  if ("validation" in common) delete kept.schema;
  if ("subresources" in common) delete kept.subresources;
  if ("additionalPrinterColumns" in common) delete kept.additionalPrinterColumns;
  if ("selectableFields" in common) delete kept.selectableFields;
  return kept;
}

function versionToHub({ additionalPrinterColumns: columns, ...same }: CustomResourceDefinitionVersion): HubVersion {
  if (columns === undefined) return same;
  return {
    ...same,
    additionalPrinterColumns: columns.map(({ jsonPath, ...column }) => ({ ...column, JSONPath: jsonPath })),
  };
}

function versionFromHub({ additionalPrinterColumns: columns, ...same }: HubVersion): CustomResourceDefinitionVersion {
  return columns === undefined ? same : { ...same, additionalPrinterColumns: columnsFromHub(columns) };
}

function columnsFromHub(columns: NonNullable<HubVersion["additionalPrinterColumns"]>) {
  return columns.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath }));
}

function conversionToHub({ strategy, webhook }: CustomResourceConversion): HubConversion {
  if (webhook === undefined) return { strategy };
  return given({
    strategy,
    webhookClientConfig: webhook.clientConfig,
    conversionReviewVersions: webhook.conversionReviewVersions ?? [],
  });
}

function conversionFromHub(conversion: HubConversion): CustomResourceConversion {
  const { strategy, webhookClientConfig: clientConfig, conversionReviewVersions = [] } = conversion;
  if (clientConfig === undefined && conversionReviewVersions.length === 0) return { strategy };
  return { strategy, webhook: given({ clientConfig, conversionReviewVersions }) };
}
