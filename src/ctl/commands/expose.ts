/** `expose`: creates a service for a pod, a workload or another service. */

import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { dryRunFlag, fieldManagerFlag, filenameFlags, printFlags, recordFlag } from "../flags/declared.ts";
import { findLookups, findResource } from "../input/lookups.ts";
import { forEachTarget } from "../input/targets.ts";
import { dig, type Json, kindOf, list, number, object, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { recorded, saved } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { pairsOf } from "./create/generator.ts";
import { overridden } from "./run.ts";

export const expose: Command = {
  name: "expose",
  summary: "Take a replication controller, service, deployment or pod and expose it as a new service",
  usage:
    "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--type=type]",
  examples: `ctl expose rc nginx --port=80 --target-port=8000
ctl expose deployment nginx --port=80 --type=NodePort`,
  flags: [
    ...filenameFlags,
    ...printFlags,
    dryRunFlag,
    recordFlag,
    fieldManagerFlag("expose"),
    { name: "name", type: "text", help: "The name of the service" },
    { name: "port", type: "text", help: "The port of the service" },
    { name: "target-port", type: "text", help: "The port of the container, by number or name" },
    { name: "container-port", type: "text", help: "The same as --target-port", isHidden: true },
    { name: "protocol", type: "text", help: "TCP, UDP or SCTP" },
    { name: "type", type: "text", help: "ClusterIP, NodePort, LoadBalancer or ExternalName" },
    { name: "selector", type: "text", help: "A selector other than that of the object" },
    { name: "labels", short: "l", type: "text", help: "Labels of the service" },
    { name: "external-ip", type: "text", help: "An additional external address of the service" },
    { name: "load-balancer-ip", type: "text", help: "The address of the load balancer" },
    { name: "cluster-ip", type: "text", help: 'The address of the service, or "None"' },
    { name: "session-affinity", type: "text", help: "None or ClientIP" },
    { name: "overrides", type: "text", help: "JSON that is merged into the service" },
    { name: "generator", type: "text", value: "service/v2", help: "Ignored", isHidden: true },
    { name: "save-config", type: "bool", help: "Save the configuration in the last-applied annotation" },
  ],
  run,
};

const exposable = new Set(["Pod", "Service", "ReplicationController", "Deployment", "ReplicaSet"]);

async function run(context: Context): Promise<void> {
  const dryRun = dryRunOf(context);
  const resource = await findResource(context, "services");
  const manager = await managerOf(context, "expose");
  const generator = context.flags.text("generator");
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

function serviceOf(context: Context, source: Json): Json {
  const { flags } = context;
  const name = flags.text("name") || text(source, "metadata", "name").slice(0, 63);
  const labels =
    flags.text("labels") === ""
      ? object(source, "metadata", "labels")
      : pairsOf(flags.text("labels").split(","), "label");
  const spec: Json = { ports: portsOf(context, source), selector: selectorOf(context, source) };
  const members = {
    type: "type",
    "load-balancer-ip": "loadBalancerIP",
    "cluster-ip": "clusterIP",
    "session-affinity": "sessionAffinity",
  } as const;
  for (const [flag, member] of Object.entries(members)) if (flags.text(flag) !== "") spec[member] = flags.text(flag);
  // Only a load balancer has its own address.
  if (spec["type"] !== "LoadBalancer") delete spec["loadBalancerIP"];
  if (flags.text("external-ip") !== "") spec["externalIPs"] = [flags.text("external-ip")];
  const affinity = flags.text("session-affinity");
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

function selectorOf(context: Context, source: Json): Json {
  const given = context.flags.text("selector");
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

function portsOf({ flags }: Context, source: Json): Json[] {
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
  const given = flags.text("port");
  const ports = given === "" ? known.map(({ port }) => port) : given.split(",").map(Number);
  if (ports.length === 0) throw new CtlError("couldn't find port via --port flag or introspection");
  if (ports.some((port) => !Number.isInteger(port)))
    throw new CtlError(`strconv.Atoi: parsing "${given}": invalid syntax`);
  const target = flags.text("target-port") || flags.text("container-port");
  return [...new Set(ports)].map((port, at) => ({
    ...(ports.length > 1 ? { name: `port-${at + 1}` } : {}),
    port,
    protocol: flags.text("protocol") || known.find((one) => one.port === port)?.protocol || "TCP",
    targetPort: target === "" ? port : /^\d+$/.test(target) ? Number(target) : target,
  }));
}
