/** Creates a namespace when the first object is created in it. */

import { Namespace } from "../../api/core/v1/namespace.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import { type AdmissionContext, lookUp } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { isOn, under } from "../on.ts";

export function createNamespaceAutoProvision(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  const provision = async (name: string): Promise<void> => {
    const kind = context.catalog.of(Namespace);
    const ref = { namespace: "", name };
    if ((await lookUp(context, kind, ref)) !== undefined) return;
    const namespace = { kind: kind.kind, apiVersion: kind.apiVersion, metadata: { name } };
    // Through all plugins, since others may restrict which namespaces exist.
    const writer = serverWrites("a missing namespace", vocabulary);
    try {
      await context.registry.create(kind, namespace, ref, writer);
    } catch (error) {
      // Another request was faster.
      if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
    }
  };
  return {
    name: "NamespaceAutoProvision",
    handles: (request) =>
      request.operation === "CREATE" &&
      request.namespace !== "" &&
      !request.dryRun &&
      !isOn(request, under(Namespace, "*"), "CREATE"),
    mutate: (request) => provision(request.namespace),
  };
}
