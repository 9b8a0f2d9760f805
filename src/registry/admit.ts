/** One write before admission: the request that plugins see. */

import type { AdmissionRequest, Operation } from "../admission/contract.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { ObjectRef, WriteContext } from "./contract.ts";

export interface Admitted {
  readonly operation: Operation;
  readonly subresource?: string;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

export function admissionRequest(
  kind: BoundKind,
  ref: ObjectRef,
  context: WriteContext,
  { operation, subresource = "", object, old }: Admitted,
): AdmissionRequest {
  return {
    operation,
    kind,
    subresource,
    namespace: kind.namespaced ? ref.namespace : "",
    name: ref.name,
    object,
    old,
    options: context.options ?? {},
    user: context.user,
    dryRun: context.dryRun,
    warn: (text) => context.warn(text),
  };
}
