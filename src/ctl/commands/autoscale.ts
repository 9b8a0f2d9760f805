/** `autoscale`: lets an autoscaler set the number of pods of a workload. */

import { type FlagValues, int, string } from "../../base/flags/flag.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { canonicalQuantity } from "../../machinery/values/quantity.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, RequiredFlags } from "../errors.ts";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  saveConfigFlag,
} from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { forEachTarget } from "../input/targets.ts";
import { type Json, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { groupVersionResource } from "../server/resource-names.ts";
import { recorded, saved } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";

const autoscaleFlags = {
  ...filenameFlags,
  ...printFlags,
  ...dryRunFlag,
  ...recordFlag,
  ...fieldManagerFlag("autoscale"),
  min: int("The lower limit for the number of pods", -1),
  max: int("The greatest number of pods", -1),
  "cpu-percent": int("The target utilization of requested CPU, in percent", -1),
  cpu: string("The target of CPU: 80% of what the pods request, or an amount for each pod such as 500m"),
  memory: string("The target of memory: 80% of what the pods request, or an amount for each pod such as 200Mi"),
  name: string("The name of the autoscaler"),
  generator: string("Ignored", "", { isHidden: true }),
  ...saveConfigFlag,
};

type AutoscaleContext = Context<FlagValues<typeof autoscaleFlags>>;

export const autoscale = command({
  name: "autoscale",
  summary: "Auto-scale a deployment, replica set, stateful set, or replication controller",
  usage: "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]",
  examples: `ctl autoscale deployment foo --min=2 --max=10
ctl autoscale rc foo --max=5 --cpu=80%
ctl autoscale deployment foo --max=5 --cpu=500m --memory=200Mi`,
  flags: autoscaleFlags,
  run: runAutoscale,
});

async function runAutoscale(context: AutoscaleContext): Promise<void> {
  const { flags } = context;
  const [min, max] = [flags.min, flags.max];
  if (!context.isSet("max")) throw new RequiredFlags(["max"]);
  if (max < 1) throw new CtlError(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  if (max < min) throw new CtlError(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`);
  const { hpas, target } = await targetOf(context);
  const dryRun = dryRunOf(context);
  const manager = managerOf(context, "autoscale");
  await forEachTarget(context, { isLocal: true }, async ({ resource, namespace, name, object }) => {
    if (!resource.subresources.includes("scale"))
      throw new CtlError(
        `cannot autoscale a ${resource.kind}: could not find scale subresource for ${groupVersionResource(resource)} in discovery information`,
      );
    const apiVersion = text(object, "apiVersion") || apiVersionText(resource);
    const autoscaler = await saved(
      context,
      await recorded(context, {
        apiVersion: apiVersionText(hpas),
        kind: hpas.kind,
        metadata: { creationTimestamp: null, name: flags.name || name },
        spec: {
          maxReplicas: max,
          ...(min > 0 ? { minReplicas: min } : {}),
          scaleTargetRef: { apiVersion, kind: resource.kind, name },
          ...target,
        },
        status: { currentReplicas: 0, desiredReplicas: 0 },
      }),
    );
    const place = { resource: hpas, namespace, name: flags.name || name };
    const made =
      dryRun === "client"
        ? autoscaler
        : await context
            .at(place.resource)
            .create(withNamespace(autoscaler, place.resource, place.namespace), writeOptions(manager, dryRun));
    printResult(context, made, dryRun === "client" ? "created" : "autoscaled", dryRun);
  });
}

interface Target {
  readonly hpas: DiscoveredResource;
  /** Members of the spec. */
  readonly target: Json;
}

/** v1 knows a percentage of CPU only. */
async function targetOf(context: AutoscaleContext): Promise<Target> {
  const { cpu, memory, "cpu-percent": percent } = context.flags;
  if (cpu !== "" && context.isSet("cpu-percent"))
    throw new CtlError("--cpu and --cpu-percent cannot be used together; use --cpu with a percentage");
  const metrics = [...metricOf("cpu", cpu), ...metricOf("memory", memory)];
  if (metrics.length === 0) {
    const target = percent > 0 ? { targetCPUUtilizationPercentage: percent } : {};
    return { hpas: await findResource(context, "horizontalpodautoscalers.v1.autoscaling"), target };
  }
  if (percent > 0) metrics.unshift(...metricOf("cpu", `${percent}%`));
  // v1.21 has them as v2beta2, in the same form.
  const older = (await context.discovery()).find("horizontalpodautoscalers.v2beta2.autoscaling");
  const hpas = older ?? (await findResource(context, "horizontalpodautoscalers.v2.autoscaling"));
  return { hpas, target: { metrics } };
}

function metricOf(name: "cpu" | "memory", target: string): Json[] {
  if (target === "") return [];
  const percent = /^([1-9][0-9]{0,5})%$/.exec(target)?.[1];
  const amount = canonicalQuantity(target);
  if (percent === undefined && (amount === undefined || !/[1-9]/.test(amount) || amount.startsWith("-")))
    throw new CtlError(`--${name} must be a percentage such as 80% or a positive quantity, not "${target}"`);
  const wanted =
    percent === undefined
      ? { type: "AverageValue", averageValue: target }
      : { type: "Utilization", averageUtilization: Number(percent) };
  return [{ type: "Resource", resource: { name, target: wanted } }];
}
