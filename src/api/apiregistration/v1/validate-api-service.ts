/** Checks of API services. */

import { isDns1035Label, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import type { APIServiceSpec, APIServiceStatus, ServiceReference } from "./api-service.ts";

export const groupPriorityMax = 20_000;
export const versionPriorityMax = 1000;

interface ServiceLike {
  readonly metadata: ObjectMeta;
  readonly spec?: APIServiceSpec;
  readonly status?: APIServiceStatus;
}

export function validateApiService({ metadata, spec }: ServiceLike): FieldError[] {
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec ?? {};
  const errors: FieldError[] = [];
  for (const field of ["name", "generateName"] as const) {
    const name = metadata[field] ?? "";
    if (name !== "" && name !== `${version}.${group}`)
      errors.push(invalid(`metadata.${field}`, name, "must be spec.version, a dot and spec.group"));
  }
  if (group === "" && version !== "v1") errors.push(required("spec.group", "only v1 may have an empty group"));
  if (group !== "") errors.push(...isDns1123Subdomain(group).map((problem) => invalid("spec.group", group, problem)));
  errors.push(...isDns1035Label(version).map((problem) => invalid("spec.version", version, problem)));
  const priority = (field: string, value: number, max: number) => {
    if (value <= 0 || value > max) errors.push(invalid(field, value, `must be between 1 and ${max}`));
  };
  priority("spec.groupPriorityMinimum", groupPriorityMinimum, groupPriorityMax);
  priority("spec.versionPriority", versionPriority, versionPriorityMax);
  return [...errors, ...validateTrust(spec), ...(spec?.service ? validateService(spec.service) : [])];
}

/** This server trusts itself; another server needs an authority, or insecureSkipTLSVerify. */
function validateTrust(spec: APIServiceSpec | undefined): FieldError[] {
  const bundle = (spec?.caBundle ?? "") !== "";
  const insecure = spec?.insecureSkipTLSVerify === true;
  const errors: FieldError[] = [];
  if (spec?.service === undefined) {
    if (bundle) errors.push(invalid("spec.caBundle", "", "must not be given without a service"));
    if (insecure) errors.push(invalid("spec.insecureSkipTLSVerify", true, "must not be true without a service"));
  } else if (insecure && bundle) {
    errors.push(invalid("spec.insecureSkipTLSVerify", true, "must not be true where there is a caBundle"));
  }
  return errors;
}

function validateService({ namespace = "", name = "", port = 443 }: ServiceReference): FieldError[] {
  const errors: FieldError[] = [];
  if (namespace === "") errors.push(required("spec.service.namespace"));
  if (name === "") errors.push(required("spec.service.name"));
  if (port < 1 || port > 65535) errors.push(invalid("spec.service.port", port, "must be between 1 and 65535"));
  return errors;
}

const statuses = ["False", "True", "Unknown"];

export function validateApiServiceStatus({ status }: ServiceLike): FieldError[] {
  return (status?.conditions ?? []).flatMap((condition, index) =>
    statuses.includes(condition.status)
      ? []
      : [notSupported(`status.conditions[${index}].status`, condition.status, statuses)],
  );
}
