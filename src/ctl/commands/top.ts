/** `top`: the resource usage of nodes and pods, from the metrics API. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import {
  addQuantities,
  milliValue,
  parseQuantity,
  type Quantity,
  wholeValue,
} from "../../machinery/values/quantity.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { allNamespacesFlag, selectorFlag } from "../flags/declared.ts";
import { findResource, findServed } from "../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, object, text } from "../json.ts";
import { Columns } from "../output/table.ts";

const nodeFlags = {
  ...selectorFlag,
  "no-headers": bool("Print no headers"),
  "sort-by": string("cpu or memory"),
  "use-protocol-buffers": bool("Ignored", false, { isHidden: true }),
};

const podFlags = { ...nodeFlags, ...allNamespacesFlag, containers: bool("Show containers") };

type TopContext = Context<FlagValues<typeof nodeFlags>>;

export const top = command({
  name: "top",
  summary: "Display resource (CPU/memory) usage",
  usage: "(node | pod)",
  examples: `ctl top node
ctl top pod -A`,
  subcommands: [
    command({
      name: "node",
      aliases: ["nodes", "no"],
      summary: "Display resource usage of nodes",
      usage: "[NAME | -l label]",
      examples: `ctl top node
ctl top node NODE_NAME --no-headers`,
      flags: nodeFlags,
      run: (context) => show(context, "nodes", false),
    }),
    command({
      name: "pod",
      aliases: ["pods", "po"],
      summary: "Display resource usage of pods",
      usage: "[NAME | -l label]",
      examples: `ctl top pod --sort-by=cpu
ctl top pod POD_NAME --containers`,
      flags: podFlags,
      run: (context) => show(context, "pods", context.flags.containers),
    }),
  ],
});

interface Usage {
  readonly namespace: string;
  readonly name: string;
  readonly cpu: Quantity | undefined;
  readonly memory: Quantity | undefined;
  /** The name of a container; absent: the sum of a pod, or a node. */
  readonly container?: string;
}

async function show(context: TopContext, type: "nodes" | "pods", hasContainers: boolean): Promise<void> {
  const sortBy = context.flags["sort-by"];
  if (!["", "cpu", "memory"].includes(sortBy)) throw new CtlError("--sort-by accepts only cpu or memory");
  const group = (await context.vocabulary()).group("metrics.orch.io");
  const resource = await findServed(context, (served) => served.inGroup(type, group));
  if (resource === undefined) throw new CtlError("Metrics API not available");
  const isEverywhere = type === "pods" && context.flags["all-namespaces"];
  const usages: Usage[] = [];
  for await (const metrics of context.at(resource).items({
    namespace: type === "nodes" || isEverywhere ? "" : context.namespace,
    labelSelector: context.flags.selector,
  }))
    if (context.args.length === 0 || context.args.includes(nameOf(metrics)))
      usages.push(...usagesOf(metrics, type, hasContainers));
  const missing = context.args.find((name) => !usages.some((usage) => usage.name === name));
  if (missing !== undefined)
    throw new CtlError(`Error from server (NotFound): ${type}.${group} "${missing}" not found`, { isBare: true });
  const amount = (usage: Usage) =>
    Number((sortBy === "cpu" ? usage.cpu && milliValue(usage.cpu) : usage.memory && wholeValue(usage.memory)) ?? 0n);
  usages.sort((a, b) => (sortBy === "" ? (a.name < b.name ? -1 : 1) : amount(b) - amount(a)));
  if (usages.length === 0)
    return context.say(
      type === "nodes" || isEverywhere ? "No resources found" : `No resources found in ${context.namespace} namespace.`,
    );
  const sizes = type === "nodes" ? await allocatable(context) : undefined;
  const header = [
    ...(isEverywhere ? ["NAMESPACE"] : []),
    ...(hasContainers ? ["POD"] : []),
    "NAME",
    ...(sizes === undefined ? ["CPU(cores)", "MEMORY(bytes)"] : ["CPU(cores)", "CPU%", "MEMORY(bytes)", "MEMORY%"]),
  ];
  const rows = usages.map((usage) => {
    const size = sizes?.get(usage.name);
    const share = (key: "cpu" | "memory") => (sizes === undefined ? [] : [percent(usage[key], size?.[key])]);
    return [
      ...(isEverywhere ? [usage.namespace] : []),
      usage.name,
      ...(usage.container === undefined ? [] : [usage.container]),
      cores(usage.cpu),
      ...share("cpu"),
      bytes(usage.memory),
      ...share("memory"),
    ];
  });
  context.print(new Columns().format([...(context.flags["no-headers"] ? [] : [header]), ...rows]));
}

function usagesOf(metrics: Json, type: "nodes" | "pods", hasContainers: boolean): Usage[] {
  if (type === "nodes") return [usageOf(metrics, [object(metrics)])];
  const containers = list(metrics, "containers");
  if (!hasContainers) return [usageOf(metrics, containers)];
  return containers.map((one) => ({ ...usageOf(metrics, [one]), container: text(one, "name") }));
}

type Size = Pick<Usage, "cpu" | "memory">;

/** The allocatable resources of each node. */
async function allocatable(context: Context): Promise<Map<string, Size>> {
  const resource = await findResource(context, "nodes");
  const sizes = new Map<string, Size>();
  for await (const node of context.at(resource).items()) {
    const of = (key: string) => parseQuantity(text(node, "status", "allocatable", key));
    sizes.set(nameOf(node), { cpu: of("cpu"), memory: of("memory") });
  }
  return sizes;
}

function percent(used: Quantity | undefined, size: Quantity | undefined): string {
  const whole = size === undefined ? 0n : milliValue(size);
  return used === undefined || whole === 0n ? "<unknown>" : `${(milliValue(used) * 100n) / whole}%`;
}

function usageOf(metrics: Json, parts: readonly Json[]): Usage {
  const sum = (key: string) =>
    parts
      .map((part) => parseQuantity(text(part, "usage", key)))
      .reduce((a, b) => (a === undefined ? b : b === undefined ? a : addQuantities(a, b)), undefined);
  return { namespace: namespaceOf(metrics), name: nameOf(metrics), cpu: sum("cpu"), memory: sum("memory") };
}

const cores = (quantity: Quantity | undefined): string =>
  quantity === undefined ? "<unknown>" : `${milliValue(quantity)}m`;
const bytes = (quantity: Quantity | undefined): string =>
  quantity === undefined ? "<unknown>" : `${wholeValue(quantity) / 1_048_576n}Mi`;
