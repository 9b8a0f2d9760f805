/** Subresources that would connect a client to a node's agent. No agent is attached to this server, and the error says so. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { badRequest, serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action, ConnectRequest } from "../../registry/contract/action.ts";
import { checkLogOptions } from "./log-options.ts";

const noAgent = (node: string) => serviceUnavailable(`no agent of node "${node}" is attached to this server`);

/** nodes/proxy: the node must exist, then its agent would have to answer. */
export const nodeProxy: Action = {
  async connect({ kind, ref, registry }) {
    const { name } = splitName(ref.name, "node");
    await registry.get(kind, { namespace: "", name });
    throw noAgent(name);
  },
};

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
      if (!pod.spec?.nodeName) return;
      throw await unreachable(request, pod, catalog);
    },
  };
}

/** pods/proxy: clients reach pods at their own addresses, to which this server has no route. */
export function createPodProxy(catalog: Catalog): Action {
  return {
    async connect(request) {
      const { name } = splitName(request.ref.name, "pod");
      const pod = await podOf({ ...request, ref: { ...request.ref, name } }, catalog);
      if (!pod.status?.podIP) throw badRequest("the pod has no address");
      throw serviceUnavailable("this server does not proxy to pods");
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
      throw badRequest(`container ${wanted.slice(0, 253)} is not one of pod ${metadata.name}`);
    return;
  }
  // Init and ephemeral containers do not count for a client that does not name a container.
  if (spec?.containers?.length !== 1) {
    throw badRequest(`a container of pod ${metadata.name} must be named, one of ${names.join(", ")}`);
  }
}

/** "https:name:port", "name:port" or "name". */
export function splitName(text: string, what: string): { scheme: string; name: string; port: string } {
  const parts = text.split(":");
  const [scheme, name, port] = parts.length === 3 ? parts : ["", ...parts];
  const known = ["", "http", "https"].includes(scheme ?? "");
  if (!name || !known || parts.length > 3) throw badRequest(`"${text.slice(0, 253)}" does not name a ${what}`);
  return { scheme: scheme ?? "", name, port: port ?? "" };
}
