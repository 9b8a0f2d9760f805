/** The status path of a custom kind: nothing but the status is written there. */

import type { ApiObject, Subresource } from "../../machinery/schema/kind.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import { type Rules, statusProblems } from "./problems.ts";

export function statusPath(rules: Rules): Subresource<ApiObject, SpokenGroup> {
  return {
    name: "status",
    verbs: ["get", "patch", "update"],
    ownsGiven: true,
    // The registry has decoded what was written as an object of the kind.
    merge: (written, parent) => withStatusOf(written as ApiObject, parent),
    validate: (next) => statusProblems(rules, next),
  };
}

/** The parent with the status of `written`, and with the resourceVersion that its writer names, be it none. */
function withStatusOf(written: ApiObject, parent: ApiObject): ApiObject {
  const { status: _before, ...rest } = parent;
  const { resourceVersion: _known, ...metadata } = parent.metadata;
  const { resourceVersion } = written.metadata;
  const { status } = written;
  return {
    ...rest,
    metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    ...(status === undefined ? {} : { status }),
  };
}
