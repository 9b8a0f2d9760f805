/** Subresources that would connect a client to a node's agent. No agent is attached to this server, and the error says so. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { badRequest, serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action, ConnectRequest } from "../../registry/contract/action.ts";
import { checkLogOptions } from "./log-options.ts";

const noAgent = (node: string) => serviceUnavailable(`no agent of node "${node}" is attached to this server`);

/** pods/exec, attach and portforward. */
export function createPodConnection(catalog: Catalog): Action {
  return {
    async connect(request) {
      const pod = await podOf(request, catalog);
      const { subresource, parameter } = request;
      if (subresource !== "portforward") chooseContainer(pod, parameter("container"));
      throw await unreachable(request, pod, catalog);
    },
  };
}

/** pods/log: a pod without a node has written nothing yet. */
export function createPodLog(catalog: Catalog): Action {
  return {
    async connect(request) {
      checkLogOptions(request.ref.name, request.parameter);
      const pod = await podOf(request, catalog);
      chooseContainer(pod, request.parameter("container"));
      if (!pod.spec?.nodeName) return undefined;
      throw await unreachable(request, pod, catalog);
    },
  };
}

const podOf = ({ ref, registry }: Pick<ConnectRequest, "ref" | "registry">, catalog: Catalog): Promise<Pod> =>
  registry.read(catalog.of(Pod), ref);

async function unreachable({ registry }: ConnectRequest, pod: Pod, catalog: Catalog): Promise<Error> {
  const node = pod.spec?.nodeName ?? "";
  if (node === "") return badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  await registry.get(catalog.of(Node), { namespace: "", name: node });
  return noAgent(node);
}

/** With several containers the client must name one, and it must be a container of the pod. */
function chooseContainer({ metadata, spec }: Pod, wanted: string | undefined): void {
  const names = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ].map(({ name }) => name);
  if (wanted) {
    if (!names.includes(wanted))
      throw badRequest(`container ${wanted.slice(0, 253)} is not valid for pod ${metadata.name}`);
    return;
  }
  // Init and ephemeral containers do not count for a client that does not name a container.
  if (spec?.containers?.length !== 1) {
    throw badRequest(
      `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`,
    );
  }
}
