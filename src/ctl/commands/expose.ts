/** `expose`: creates a service for a pod, a workload or another service. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  saveConfigFlag,
} from "../flags/declared.ts";
import { findLookups, findResource } from "../input/lookups.ts";
import { forEachTarget } from "../input/targets.ts";
import { dig, type Json, kindOf, list, number, object, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { recorded, saved } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { pairsOf } from "./create/generator.ts";
import { overridden } from "./run.ts";

const exposeFlags = {
  ...filenameFlags,
  ...printFlags,
  ...dryRunFlag,
  ...recordFlag,
  ...fieldManagerFlag("expose"),
  name: string("The name of the service"),
  port: string("The port of the service"),
  "target-port": string("The port of the container, by number or name"),
  "container-port": string("The same as --target-port", "", { isHidden: true }),
  protocol: string("TCP, UDP or SCTP"),
  type: string("ClusterIP, NodePort, LoadBalancer or ExternalName"),
  selector: string("A selector other than that of the object"),
  labels: string("Labels of the service", "", { short: "l" }),
  "external-ip": string("An additional external address of the service"),
  "load-balancer-ip": string("The address of the load balancer"),
  "cluster-ip": string('The address of the service, or "None"'),
  "session-affinity": string("None or ClientIP"),
  overrides: string("JSON that is merged into the service"),
  generator: string("Ignored", "service/v2", { isHidden: true }),
  ...saveConfigFlag,
};

type ExposeContext = Context<FlagValues<typeof exposeFlags>>;

export const expose = command({
  name: "expose",
  summary: "Take a replication controller, service, deployment or pod and expose it as a new service",
  usage:
    "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--type=type]",
  examples: `ctl expose rc nginx --port=80 --target-port=8000
ctl expose deployment nginx --port=80 --type=NodePort`,
  flags: exposeFlags,
  run,
});

const exposable = new Set(["Pod", "Service", "ReplicationController", "Deployment", "ReplicaSet"]);

async function run(context: ExposeContext): Promise<void> {
  const dryRun = dryRunOf(context);
  const resource = await findResource(context, "services");
  const manager = managerOf(context, "expose");
  const generator = context.flags.generator;
  if (generator !== "service/v1" && generator !== "service/v2")
    throw new UsageError(`generator "${generator}" not found.`);
  const options = { isLocal: true, ignoresSelector: true };
  try {
    await findLookups(context, options);
  } catch (error) {
    throw error instanceof CtlError && !error.isBare && error.name === "CtlError"
      ? new UsageError(error.message)
      : error;
  }
  await forEachTarget(context, options, async ({ object: source, namespace, resource: type }) => {
    if (!exposable.has(kindOf(source)))
      throw new CtlError(`cannot expose a ${type.group === "" ? type.kind : `${type.kind}.${type.group}`}`);
    const service = await saved(context, await recorded(context, overridden(context, serviceOf(context, source))));
    const made =
      dryRun === "client"
        ? service
        : await context
            .at(resource)
            .create(
              withNamespace(service, resource, text(service, "metadata", "namespace") || namespace),
              writeOptions(manager, dryRun),
            );
    printResult(context, made, "exposed", dryRun);
  });
}

function serviceOf(context: ExposeContext, source: Json): Json {
  const { flags } = context;
  const name = flags.name || text(source, "metadata", "name").slice(0, 63);
  const labels = flags.labels === "" ? object(source, "metadata", "labels") : pairsOf(flags.labels.split(","), "label");
  const spec: Json = { ports: portsOf(context, source), selector: selectorOf(context, source) };
  const members = [
    ["type", "type"],
    ["load-balancer-ip", "loadBalancerIP"],
    ["cluster-ip", "clusterIP"],
    ["session-affinity", "sessionAffinity"],
  ] as const;
  for (const [flag, member] of members) if (flags[flag] !== "") spec[member] = flags[flag];
  // Only a load balancer has its own address.
  if (spec["type"] !== "LoadBalancer") delete spec["loadBalancerIP"];
  if (flags["external-ip"] !== "") spec["externalIPs"] = [flags["external-ip"]];
  const affinity = flags["session-affinity"];
  if (affinity !== "" && affinity !== "None" && affinity !== "ClientIP")
    throw new CtlError(`unknown session affinity: ${affinity}`);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { creationTimestamp: null, ...(Object.keys(labels).length === 0 ? {} : { labels }), name },
    spec,
    status: { loadBalancer: {} },
  };
}

function selectorOf(context: ExposeContext, source: Json): Json {
  const given = context.flags.selector;
  if (given !== "") return pairsOf(given.split(","), "selector");
  const fail = (reason: string) =>
    new UsageError(`couldn't retrieve selectors via --selector flag or introspection: ${reason}`);
  switch (kindOf(source)) {
    case "Pod": {
      const labels = object(source, "metadata", "labels");
      if (Object.keys(labels).length === 0) throw fail("the pod has no labels and cannot be exposed");
      return labels;
    }
    case "Service":
    case "ReplicationController": {
      const selector = object(source, "spec", "selector");
      if (Object.keys(selector).length === 0)
        throw fail(
          `the ${kindOf(source) === "Service" ? "service" : "replication controller"} has no pod selector set`,
        );
      return selector;
    }
    default:
      if (list(source, "spec", "selector", "matchExpressions").length > 0)
        throw fail(
          `couldn't convert expressions - "${JSON.stringify(dig(source, "spec", "selector", "matchExpressions"))}" to map-based selector format`,
        );
      if (Object.keys(object(source, "spec", "selector", "matchLabels")).length === 0)
        throw fail(`invalid ${kindOf(source).toLowerCase()}: no selectors, therefore cannot be exposed`);
      return object(source, "spec", "selector", "matchLabels");
  }
}

function portsOf({ flags }: ExposeContext, source: Json): Json[] {
  const podSpec = kindOf(source) === "Pod" ? object(source, "spec") : object(source, "spec", "template", "spec");
  const known =
    kindOf(source) === "Service"
      ? list(source, "spec", "ports").map((port) => ({
          port: number(port, "port") ?? 0,
          protocol: text(port, "protocol") || "TCP",
        }))
      : list(podSpec, "containers").flatMap((container) =>
          list(container, "ports").map((port) => ({
            port: number(port, "containerPort") ?? 0,
            protocol: text(port, "protocol") || "TCP",
          })),
        );
  const given = flags.port;
  const ports = given === "" ? known.map(({ port }) => port) : given.split(",").map(Number);
  if (ports.length === 0) throw new CtlError("couldn't find port via --port flag or introspection");
  if (ports.some((port) => !Number.isInteger(port)))
    throw new CtlError(`strconv.Atoi: parsing "${given}": invalid syntax`);
  const target = flags["target-port"] || flags["container-port"];
  return [...new Set(ports)].map((port, at) => ({
    ...(ports.length > 1 ? { name: `port-${at + 1}` } : {}),
    port,
    protocol: flags.protocol || known.find((one) => one.port === port)?.protocol || "TCP",
    targetPort: target === "" ? port : /^\d+$/.test(target) ? Number(target) : target,
  }));
}
