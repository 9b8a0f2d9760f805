/** Relations between the fields of API services. */

import { checker, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { need, refuse } from "../../../machinery/schema/relations.ts";
import { type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { validateComposedName } from "../../validation.ts";
import { APIServiceSpec, APIServiceStatus } from "./api-service-spec.ts";

/** This server trusts itself; another server needs an authority, or insecureSkipTLSVerify. */
export const apiServiceRelations: readonly Relation[] = [
  need(APIServiceSpec, "group", "only v1 may have an empty group", ({ version }) => version !== "v1"),
  on(APIServiceSpec, ({ service, caBundle }) =>
    caBundle && service === undefined ? [invalid("caBundle", "", "must not be given without a service")] : noErrors,
  ),
  refuse(APIServiceSpec, "insecureSkipTLSVerify", "must not be true without a service", (spec) =>
    Boolean(spec.insecureSkipTLSVerify && spec.service === undefined),
  ),
  refuse(APIServiceSpec, "insecureSkipTLSVerify", "must not be true where there is a caBundle", (spec) =>
    Boolean(spec.insecureSkipTLSVerify && spec.service && spec.caBundle),
  ),
];

export const validateApiService = ({
  metadata,
  spec: { group = "", version = "" } = {},
}: {
  readonly metadata: ObjectMeta;
  readonly spec?: Pick<APIServiceSpec, "group" | "version">;
}): FieldErrors => validateComposedName(metadata, `${version}.${group}`, "must be spec.version, a dot and spec.group");

export const checkStatus = checker(APIServiceStatus);
