/** The API versions of the objects that an autoscaler refers to. Since 1.33. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldErrors, invalid, noErrors, ofEach } from "../../../machinery/status/field-error.ts";
import { has } from "../../features.ts";
import type { HorizontalPodAutoscalerSpec } from "./autoscaler-spec.ts";
import type { CrossVersionObjectReference } from "./metrics.ts";

/** The kind of the core group that can be scaled. */
const coreKind = "ReplicationController";

/** A target that keeps its kind and version is not judged again, and neither are metrics of which one was wrong before. */
export function validateReferences(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  environment: Environment,
): FieldErrors {
  if (!has(environment, "checkedReferences")) return noErrors;
  const { scaleTargetRef: target } = spec;
  const isKept =
    old?.scaleTargetRef.kind === target.kind && (old.scaleTargetRef.apiVersion ?? "") === (target.apiVersion ?? "");
  const wereWrong = describedProblems(old).length > 0;
  return [
    ...(isKept ? noErrors : versionProblems(target, "spec.scaleTargetRef", target.kind === coreKind)),
    ...(wereWrong ? noErrors : describedProblems(spec)),
  ];
}

const describedProblems = (spec: HorizontalPodAutoscalerSpec | undefined): FieldErrors =>
  ofEach(spec?.metrics, ({ object }, index) =>
    object ? versionProblems(object.describedObject, `spec.metrics[${index}].object.describedObject`, true) : noErrors,
  );

function versionProblems(
  { apiVersion = "" }: CrossVersionObjectReference,
  path: string,
  takesCoreGroup: boolean,
): FieldErrors {
  const parts = apiVersion.split("/");
  const at = `${path}.apiVersion`;
  if (parts.length > 2) return [invalid(at, apiVersion, "must be a group and version, such as apps/v1")];
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return hasGroup || takesCoreGroup ? noErrors : [invalid(at, apiVersion, "must name an API group, such as apps/v1")];
}
