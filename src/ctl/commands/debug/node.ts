/** `debug node/NAME`: a pod on a node, with as much of the node as the profile allows. */

import { findResource } from "../../input/lookups.ts";
import type { ObjectTarget } from "../../input/targets.ts";
import type { Json } from "../../json.ts";
import { managerOf, withNamespace, writeOptions } from "../../write/write-options.ts";
import { type DebugContainer, shaped, suffix } from "./containers.ts";
import type { DebugContext } from "./flags.ts";
import { profileOf, withProfile } from "./profiles.ts";

export async function debugNode(
  context: DebugContext,
  target: ObjectTarget,
  words: readonly string[],
): Promise<DebugContainer> {
  const name = context.flags.container || "debugger";
  const podName = `node-debugger-${target.name}-${suffix()}`;
  if (!context.flags.quiet)
    context.print(`Creating debugging pod ${podName} with container ${name} on node ${target.name}.\n`);
  const resource = await findResource(context, "pods");
  const profile = profileOf(context);
  const { usesHostNamespaces, mountsRoot, hasSecurityContext } = profile.onNode;
  const mounts = mountsRoot ? { volumeMounts: [{ mountPath: "/host", name: "host-root" }] } : {};
  const container = shaped(context, { name, terminationMessagePolicy: "File", ...mounts }, words);
  const made: Json = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: podName },
    spec: {
      containers: [hasSecurityContext ? withProfile(container, profile) : container],
      ...(usesHostNamespaces ? { hostIPC: true, hostNetwork: true, hostPID: true } : {}),
      nodeName: target.name,
      restartPolicy: "Never",
      // A node in trouble has taints that would evict the pod.
      ...(context.behaviour.toleratesTaintsInDebug ? { tolerations: [{ operator: "Exists" }] } : {}),
      ...(mountsRoot ? { volumes: [{ hostPath: { path: "/" }, name: "host-root" }] } : {}),
    },
  };
  const namespaced = withNamespace(made, resource, context.namespace);
  const pod = await context.at(resource).create(namespaced, writeOptions(managerOf(context, "")));
  return { pod, container: name };
}
