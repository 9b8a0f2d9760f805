/** Checks of the parts of a definition: names, columns, subresources and conversion. */

import { isDns1035Label } from "../../../machinery/meta/names.ts";
import { checker, on } from "../../../machinery/schema/constraints.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  noErrors,
  notSupported,
  required,
} from "../../../machinery/status/field-error.ts";
import { reachedOneWay } from "../../admissionregistration/v1/webhook-client.ts";
import { repeats } from "../../validation.ts";
import type { DefinitionNames, DefinitionSubresources } from "../v1/definition-parts.ts";
import {
  ConversionClientConfig,
  type CustomResourceColumnDefinition,
  CustomResourceConversion,
} from "../v1beta1/definition-spec.ts";

/** Empty values are not checked here: whether they are required is checked elsewhere. */
export function validateNames(names: DefinitionNames | undefined, path: string): FieldError[] {
  if (names === undefined) return [];
  const { plural, singular = "", kind, listKind = "", shortNames = [], categories = [] } = names;
  const label = (field: string, text: string, looked = text) =>
    (text === "" ? [] : isDns1035Label(looked)).map((problem) => invalid(`${path}.${field}`, text, problem));
  const labels = (field: string, texts: readonly string[]) =>
    texts.flatMap((text, index) =>
      isDns1035Label(text).map((problem) => invalid(`${path}.${field}[${index}]`, text, problem)),
    );
  const errors = [
    ...label("plural", plural),
    ...label("singular", singular),
    ...label("kind", kind, kind.toLowerCase()),
    ...label("listKind", listKind, listKind.toLowerCase()),
    ...labels("shortNames", shortNames),
  ];
  if (kind !== "" && kind === listKind)
    errors.push(invalid(`${path}.listKind`, listKind, "must not be the kind itself"));
  return [...errors, ...labels("categories", categories)];
}

const columnTypes = ["integer", "number", "string", "boolean", "date"];
const columnFormats = ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];

export function validateColumns(columns: readonly CustomResourceColumnDefinition[] | undefined, path: string) {
  return (columns ?? []).flatMap((column, index): FieldError[] => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (column.name === "") errors.push(required(`${at}.name`));
    if (column.type === "") errors.push(required(`${at}.type`, `must be one of ${columnTypes.join(", ")}`));
    else if (!columnTypes.includes(column.type))
      errors.push(invalid(`${at}.type`, column.type, `must be one of ${columnTypes.join(", ")}`));
    if (column.format && !columnFormats.includes(column.format))
      errors.push(invalid(`${at}.format`, column.format, `must be one of ${columnFormats.join(", ")}`));
    if (column.JSONPath === "") errors.push(required(`${at}.JSONPath`));
    else errors.push(...validateSimplePath(column.JSONPath, `${at}.JSONPath`));
    return errors;
  });
}

const validateSimplePath = (text: string, path: string): FieldError[] =>
  text.startsWith(".") ? [] : [invalid(path, text, "must be a path that begins with a dot")];

export function validateSubresources(subresources: DefinitionSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const under = (field: string, text: string, roots: readonly string[]) => {
    const at = `${path}.scale.${field}`;
    const errors = validateSimplePath(text, at);
    if (errors.length > 0 || roots.some((root) => text.startsWith(root))) return errors;
    return [invalid(at, text, `must be a path under ${roots.join(" or ")}`)];
  };
  const needed = (field: "specReplicasPath" | "statusReplicasPath", root: string) =>
    scale[field] === "" ? [required(`${path}.scale.${field}`)] : under(field, scale[field], [root]);
  return [
    ...needed("specReplicasPath", ".spec."),
    ...needed("statusReplicasPath", ".status."),
    ...(scale.labelSelectorPath ? under("labelSelectorPath", scale.labelSelectorPath, [".spec.", ".status."]) : []),
  ];
}

const strategies = ["None", "Webhook"];
const reviewVersions = ["v1", "v1beta1"];

/** Paths are those of v1beta1 whichever version was sent, as v1.21 reports them. */
export function validateConversion(
  conversion: CustomResourceConversion | undefined,
  path: string,
  options: { readonly knownVersions: boolean },
): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhookClientConfig: client, conversionReviewVersions: versions = [] } = conversion;
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(`${path}.strategy`, `must be one of ${strategies.join(", ")}`));
  else if (!strategies.includes(strategy)) errors.push(notSupported(`${path}.strategy`, strategy, strategies));
  if (strategy === "Webhook") {
    return [
      ...errors,
      ...(client ? [] : [required(`${path}.webhookClientConfig`, "must be given when the strategy is Webhook")]),
      ...validateReviewVersions(versions, `${path}.conversionReviewVersions`, options.knownVersions),
    ];
  }
  const detail = "must not be given unless the strategy is Webhook";
  if (client !== undefined) errors.push(forbidden(`${path}.webhookClientConfig`, detail));
  if (versions.length > 0) errors.push(forbidden(`${path}.conversionReviewVersions`, detail));
  return errors;
}

const checkClient = checker(ConversionClientConfig, [
  reachedOneWay(ConversionClientConfig, "exactly one of url and service is required"),
]);
/** A client that is forbidden is not checked as well. */
export const conversionRelations = [
  on(CustomResourceConversion, ({ strategy, webhookClientConfig }, environment) =>
    strategy === "Webhook" ? checkClient(webhookClientConfig, "webhookClientConfig", environment) : noErrors,
  ),
];

function validateReviewVersions(versions: readonly string[], path: string, mustKnow: boolean): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const repeated = repeats(versions);
  const errors = versions.flatMap((version, index) => {
    const at = `${path}[${index}]`;
    if (repeated.has(index)) return [invalid(at, version, "is there twice")];
    return isDns1035Label(version).map((problem) => invalid(at, version, problem));
  });
  if (mustKnow && !hasKnownReviewVersion(versions))
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  return errors;
}

export const hasKnownReviewVersion = (versions: readonly string[]): boolean =>
  versions.some((version) => reviewVersions.includes(version));
