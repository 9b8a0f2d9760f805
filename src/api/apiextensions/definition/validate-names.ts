/** Relations between the names of a definition, and between the fields of how its objects are converted. */

import { checkedWhen, on } from "../../../machinery/schema/constraints.ts";
import { forbid, need, refuse } from "../../../machinery/schema/relations.ts";
import { invalid, noErrors, ofEach, required } from "../../../machinery/status/field-error.ts";
import { reachedOneWay } from "../../admissionregistration/v1/webhook-client.ts";
import {
  ConversionClientConfig,
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  DefinitionNames,
} from "../v1beta1/definition-spec.ts";

/** Names that are served may be empty. */
export const nameRelations = [
  on(DefinitionNames, ({ kind, listKind = "" }) =>
    kind !== "" && kind === listKind ? [invalid("listKind", listKind, "must not be the kind itself")] : noErrors,
  ),
];

const isWebhook = ({ strategy }: CustomResourceConversion): boolean => strategy === "Webhook";
const otherwise = "must not be given unless the strategy is Webhook";

export const specRelations = [
  ...nameRelations,
  on(CustomResourceDefinitionSpec, ({ names }) =>
    ofEach(["plural", "singular", "kind", "listKind"] as const, (field) =>
      names[field] ? noErrors : [required(`names.${field}`)],
    ),
  ),
  refuse(
    CustomResourceDefinitionVersion,
    "deprecationWarning",
    "must not be given for a version that is not deprecated",
    ({ deprecated, deprecationWarning }) => deprecationWarning !== undefined && deprecated !== true,
  ),
  checkedWhen(CustomResourceDefinitionVersion, ["deprecationWarning"], ({ deprecated }) => deprecated === true),
  // A client that is forbidden is not checked as well.
  checkedWhen(CustomResourceConversion, ["webhookClientConfig", "conversionReviewVersions"], isWebhook),
  reachedOneWay(ConversionClientConfig, "exactly one of url and service is required"),
  need(CustomResourceConversion, "webhookClientConfig", "must be given when the strategy is Webhook", isWebhook),
  need(CustomResourceConversion, "conversionReviewVersions", "", isWebhook),
  forbid(CustomResourceConversion, "webhookClientConfig", otherwise, (conversion) => !isWebhook(conversion)),
  forbid(CustomResourceConversion, "conversionReviewVersions", otherwise, (conversion) => !isWebhook(conversion)),
];
