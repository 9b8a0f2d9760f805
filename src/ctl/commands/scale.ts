/** `scale` and `autoscale`: sets the number of pods of a workload, or lets an autoscaler set it. */

import { anyDuration, type FlagValues, int, string } from "../../base/flags/flag.ts";
import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, RequiredFlags, TimedOut } from "../errors.ts";
import {
  allFlag,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  saveConfigFlag,
  selectorFlag,
} from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { type Json, number, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { pause } from "../pause.ts";
import { groupVersionResource } from "../server/resource-names.ts";
import { recorded, saved } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";

const scaleFlags = {
  ...filenameFlags,
  ...printFlags,
  ...selectorFlag,
  ...allFlag,
  ...dryRunFlag,
  ...recordFlag,
  ...fieldManagerFlag(""),
  replicas: int("The new number of replicas", -1),
  "current-replicas": int("Only scale if this is the current number of replicas", -1),
  "resource-version": string("Only if the object has this version"),
  timeout: anyDuration("How long to wait until all are there; 0: do not wait"),
};

type ScaleContext = Context<FlagValues<typeof scaleFlags>>;

export const scale = command({
  name: "scale",
  summary: "Set a new size for a deployment, replica set, or replication controller",
  usage: "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
  examples: `ctl scale --replicas=3 rs/foo
ctl scale --current-replicas=2 --replicas=3 deployment/mysql`,
  flags: scaleFlags,
  run: runScale,
});

async function runScale(context: ScaleContext): Promise<void> {
  const { flags } = context;
  if (!context.isSet("replicas")) throw new RequiredFlags(["replicas"]);
  const replicas = flags.replicas;
  if (replicas < 0)
    throw new CtlError("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
  const manager = await managerOf(context, "");
  const dryRun = dryRunOf(context);
  const count = await forEachTarget(context, { mayNameAll: true }, async (target) => {
    const { resource, namespace, name, object } = target;
    const place = { resource, namespace, name };
    const current = await context.session.read(resource, place, { subresource: "scale" });
    const now = number(current, "spec", "replicas") ?? 0;
    const expected = flags["current-replicas"];
    if (expected !== -1 && now !== expected) throw new CtlError(`Expected replicas to be ${expected}, was ${now}`);
    const version = flags["resource-version"];
    if (version !== "" && text(object, "metadata", "resourceVersion") !== version)
      throw new CtlError(
        `Expected resource version to be ${version}, was ${text(object, "metadata", "resourceVersion")}`,
      );
    if (dryRun !== "client") {
      const patch = { spec: { replicas }, ...(version === "" ? {} : { metadata: { resourceVersion: version } }) };
      const written = { ...writeOptions(manager, dryRun), subresource: "scale" };
      await context.at(resource).patch(place, patch, written);
      const noted = await recorded(context, object);
      if (noted !== object && dryRun === "none")
        await context
          .at(resource)
          .patch(
            place,
            { metadata: { annotations: (noted["metadata"] as Json)["annotations"] } },
            writeOptions(manager),
          );
    }
    printResult(context, object, "scaled", dryRun);
    if (flags.timeout > 0) await untilScaled(context, target, replicas);
  });
  if (count === 0) throw new CtlError("no objects passed to scale");
}

const pollMs = 500;

async function untilScaled(
  context: ScaleContext,
  { resource, namespace, name }: ObjectTarget,
  replicas: number,
): Promise<void> {
  const { clock } = context.environment;
  const endMs = clock.monotonic() + context.flags.timeout;
  for (;;) {
    const current = await context.session.read(resource, { namespace, name }, { subresource: "scale" });
    if ((number(current, "status", "replicas") ?? 0) === replicas) return;
    if (clock.monotonic() > endMs) throw new TimedOut();
    await pause(context, pollMs);
  }
}

const autoscaleFlags = {
  ...filenameFlags,
  ...printFlags,
  ...dryRunFlag,
  ...recordFlag,
  ...fieldManagerFlag("autoscale"),
  min: int("The lower limit for the number of pods", -1),
  max: int("The greatest number of pods", -1),
  "cpu-percent": int("The target utilization of requested CPU, in percent", -1),
  name: string("The name of the autoscaler"),
  generator: string("Ignored", "", { isHidden: true }),
  ...saveConfigFlag,
};

type AutoscaleContext = Context<FlagValues<typeof autoscaleFlags>>;

export const autoscale = command({
  name: "autoscale",
  summary: "Auto-scale a deployment, replica set, stateful set, or replication controller",
  usage: "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu-percent=CPU]",
  examples: `ctl autoscale deployment foo --min=2 --max=10
ctl autoscale rc foo --max=5 --cpu-percent=80`,
  flags: autoscaleFlags,
  run: runAutoscale,
});

async function runAutoscale(context: AutoscaleContext): Promise<void> {
  const { flags } = context;
  const [min, max, cpu] = [flags.min, flags.max, flags["cpu-percent"]];
  if (!context.isSet("max")) throw new RequiredFlags(["max"]);
  if (max < 1) throw new CtlError(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  if (max < min) throw new CtlError(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`);
  const dryRun = dryRunOf(context);
  const manager = await managerOf(context, "autoscale");
  const hpas = await findResource(context, "horizontalpodautoscalers.v1.autoscaling");
  await forEachTarget(context, { isLocal: true }, async ({ resource, namespace, name, object }) => {
    if (!resource.subresources.includes("scale"))
      throw new CtlError(
        `cannot autoscale a ${resource.kind}: could not find scale subresource for ${groupVersionResource(resource)} in discovery information`,
      );
    const autoscaler = await saved(
      context,
      await recorded(context, {
        apiVersion: apiVersionText(hpas),
        kind: hpas.kind,
        metadata: { creationTimestamp: null, name: flags.name || name },
        spec: {
          maxReplicas: max,
          ...(min > 0 ? { minReplicas: min } : {}),
          scaleTargetRef: {
            apiVersion: text(object, "apiVersion") || apiVersionText(resource),
            kind: resource.kind,
            name,
          },
          ...(cpu > 0 ? { targetCPUUtilizationPercentage: cpu } : {}),
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
