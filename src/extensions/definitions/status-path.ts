/** The status subresource of a custom kind: it writes only the status. */

import type { ApiObject, Subresource } from "../../machinery/schema/kind.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import { type Rules, statusProblems } from "./problems.ts";

export function statusPath(rules: Rules): Subresource<ApiObject, SpokenGroup> {
  return {
    name: "status",
    verbs: ["get", "patch", "update"],
    ownsGiven: true,
    // The registry has decoded the body as an object of the kind.
    merge: (written, parent) => withStatusOf(written as ApiObject, parent),
    validateInSteps: (next, old, environment) => statusProblems(rules, next, old, environment),
  };
}

/**
 * The parent with the status of `written` and its resourceVersion, or without one if the writer did not send it. The managers are
 * those of `written` too: an apply has set them, and for other writes the registry sets them later.
 */
function withStatusOf(written: ApiObject, parent: ApiObject): ApiObject {
  const { status: _before, ...rest } = parent;
  const { resourceVersion: _known, managedFields: _owned, ...metadata } = parent.metadata;
  const { resourceVersion, managedFields } = written.metadata;
  const { status } = written;
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    ...(status === undefined ? {} : { status }),
  };
}
