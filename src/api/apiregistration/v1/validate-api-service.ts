/** Checks of API services. */

import { checker } from "../../../machinery/schema/constraints.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import { type APIServiceSpec, APIServiceStatus } from "./api-service-spec.ts";

interface ServiceLike {
  readonly metadata: ObjectMeta;
  readonly spec?: APIServiceSpec;
}

export function validateApiService({ metadata, spec }: ServiceLike): FieldError[] {
  const { group = "", version = "" } = spec ?? {};
  const errors: FieldError[] = [];
  for (const field of ["name", "generateName"] as const) {
    const name = metadata[field] ?? "";
    if (name !== "" && name !== `${version}.${group}`)
      errors.push(invalid(`metadata.${field}`, name, "must be spec.version, a dot and spec.group"));
  }
  if (group === "" && version !== "v1") errors.push(required("spec.group", "only v1 may have an empty group"));
  return [...errors, ...validateTrust(spec)];
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

export const checkStatus = checker(APIServiceStatus);
