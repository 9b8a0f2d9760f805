/** Subresources that connect a client to the agent of the pod's node: exec, attach, portforward and log. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { badRequest, noAgentReason, StatusError } from "../../machinery/status/status.ts";
import type { Action, AgentCall, Backend, ConnectRequest } from "../../registry/contract/action.ts";
import { createAgentAddress, type NodeAddressOptions } from "../proxy/agent-address.ts";
import { acceptsAnyCertificate } from "../proxy/proxied-name.ts";
import { checkLogOptions, logParameters } from "./log-options.ts";

/** Clients recognise it by its cause. */
function noAgent(node: string): StatusError {
  const message = `no agent of node "${node}" is attached to this server`;
  return new StatusError("ServiceUnavailable", message, { details: { causes: [{ reason: noAgentReason, message }] } });
}

/** pods/exec, attach and portforward. */
export function createPodConnection(options: NodeAddressOptions): Action {
  const { catalog } = options;
  const findAgent = createFindAgent(options);
  return {
    async connect(request) {
      const { subresource, parameter, parameters } = request;
      const pod = await request.registry.read(catalog.of(Pod), request.ref);
      const query = new URLSearchParams();
      if (subresource === "portforward") {
        for (const port of parameters("ports").flatMap((text) => text.split(","))) query.append("port", port);
        return await findAgent(request, pod, { target: agentTarget("portForward", pod, "", query), answer: "stream" });
      }
      const container = chooseContainer(pod, parameter("container"));
      for (const command of subresource === "exec" ? parameters("command") : []) query.append("command", command);
      for (const [given, asked] of streamParameters) if (isOn(parameter(given))) query.set(asked, "1");
      return await findAgent(request, pod, {
        target: agentTarget(subresource, pod, container, query),
        answer: "stream",
      });
    },
  };
}

/** pods/log: a pod without a node has written nothing yet. */
export function createPodLog(options: NodeAddressOptions): Action {
  const { catalog } = options;
  const findAgent = createFindAgent(options);
  return {
    async connect(request) {
      const { ref, parameter } = request;
      checkLogOptions(ref.name, parameter);
      const pod = await request.registry.read(catalog.of(Pod), ref);
      const container = chooseContainer(pod, parameter("container"));
      if (!pod.spec?.nodeName) return undefined;
      const query = new URLSearchParams();
      for (const name of logParameters) {
        const given = parameter(name);
        if (given) query.set(name, given);
      }
      const target = agentTarget("containerLogs", pod, container, query);
      const backend = await findAgent(request, pod, { target, answer: "text" });
      return isOn(parameter("insecureSkipTLSVerifyBackend")) ? { ...backend, anyCertificate: true } : backend;
    },
  };
}

/** Names of streams in a request to this server, and at the agent. */
const streamParameters = [
  ["stdin", "input"],
  ["stdout", "output"],
  ["stderr", "error"],
  ["tty", "tty"],
] as const;

/** As other flags of a query: present and not false. */
const isOn = (text: string | undefined): boolean =>
  text !== undefined && text !== "0" && text.toLowerCase() !== "false";

function agentTarget(operation: string, { metadata }: Pod, container: string, query: URLSearchParams): string {
  const parts = [operation, metadata.namespace ?? "", metadata.name ?? "", ...(container === "" ? [] : [container])];
  const text = query.toString();
  return `/${parts.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** The agent of the pod's node, at its preferred address. */
function createFindAgent(options: NodeAddressOptions) {
  const { catalog } = options;
  const { addressOf, agentPort } = createAgentAddress(options);
  const nodes = catalog.of(Node);
  return async ({ registry }: ConnectRequest, pod: Pod, agentCall: AgentCall): Promise<Backend> => {
    const name = pod.spec?.nodeName ?? "";
    if (name === "") throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
    const place = { namespace: "", name };
    const node = await registry.read(nodes, place);
    const host = addressOf(node);
    if (host === undefined) throw noAgent(name);
    const port = agentPort(node);
    return {
      scheme: "https",
      host,
      port,
      isCurrent() {
        const now = registry.peek(nodes, place)?.object();
        return now !== undefined && addressOf(now) === host && agentPort(now) === port;
      },
      serverName: host,
      anyCertificate: acceptsAnyCertificate(node, catalog.environment.vocabulary),
      isNodeAgent: true,
      agentCall,
    };
  };
}

/** With several containers the client must name one, and it must be a container of the pod. */
function chooseContainer({ metadata, spec }: Pod, wanted: string | undefined): string {
  const names = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ].map(({ name }) => name);
  if (wanted) {
    if (!names.includes(wanted))
      throw badRequest(`container ${wanted.slice(0, 253)} is not valid for pod ${metadata.name}`);
    return wanted;
  }
  // Init and ephemeral containers do not count for a client that does not name a container.
  const [first, ...others] = spec?.containers ?? [];
  if (first === undefined || others.length > 0) {
    throw badRequest(
      `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`,
    );
  }
  return first.name;
}
