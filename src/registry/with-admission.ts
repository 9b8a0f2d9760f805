/** Runs plugins before an action: a token request or an eviction is a create, and may be refused like one. */

import { admissionRequest } from "./admission-request.ts";
import type { Action } from "./contract/action.ts";
import type { Admission } from "./contract/admission.ts";
import { setNamespace } from "./metadata.ts";
import { withoutMemory } from "./run-steps.ts";

/** `name` as declarations refer to it: "serviceaccounts/token" acts on a subresource, "tokenreviews" is itself a kind. */
export function withAdmission(name: string, action: Action, admission: Admission): Action {
  const { create } = action;
  if (create === undefined) return action;
  const subresource = name.split("/")[1] ?? "";
  return {
    ...action,
    async create(sent) {
      const { kind, accepted, ref } = sent;
      // As for stored objects: since 1.22 plugins see the namespace of the path.
      if (kind.family.environment.has("namespaceBeforeAdmission"))
        setNamespace(sent.body.metadata, kind.namespaced, ref.namespace);
      const request = action.prepare?.(sent) ?? sent;
      const { body, context } = request;
      const named = { namespace: ref.namespace, name: ref.name || (body.metadata?.name ?? "") };
      const asked = admissionRequest(kind, named, context, {
        operation: "CREATE",
        subresource,
        object: body,
        old: undefined,
        of: accepted ?? kind,
      });
      const admitted = async () => {
        await admission.mutate(asked);
        await action.complete?.(request);
        await admission.validate(asked);
      };
      await withoutMemory([context.memory], admitted());
      return await create.call(action, request);
    },
  };
}
