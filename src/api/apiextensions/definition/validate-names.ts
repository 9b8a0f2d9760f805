/** Checks of the names of a definition, and of how its objects are converted. */

import { isDns1035Label } from "../../../machinery/meta/names.ts";
import { checker, on } from "../../../machinery/schema/constraints.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
} from "../../../machinery/status/field-error.ts";
import { reachedOneWay } from "../../admissionregistration/v1/webhook-client.ts";
import { repeats } from "../../validation.ts";
import {
  ConversionClientConfig,
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  DefinitionNames,
} from "../v1beta1/definition-spec.ts";

/** Names that are served may be empty. */
export const nameRelations = [
  on(DefinitionNames, ({ kind, listKind = "" }) =>
    kind !== "" && kind === listKind ? [invalid("listKind", listKind, "must not be the kind itself")] : noErrors,
  ),
];

export const specRelations = [
  ...nameRelations,
  on(CustomResourceDefinitionSpec, ({ names }) =>
    ofEach(["plural", "singular", "kind", "listKind"] as const, (field) =>
      names[field] ? noErrors : [required(`names.${field}`)],
    ),
  ),
];

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
