/** `scale` and `autoscale`: sets the number of pods of a workload, or lets an autoscaler set it. */

import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, RequiredFlags, TimedOut } from "../errors.ts";
import {
  allFlag,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  selectorFlag,
} from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { forEachTarget, type Target } from "../input/targets.ts";
import { type Json, number, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { groupVersionResource } from "../server/resource-names.ts";
import { recorded, saved } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { pause } from "./delete.ts";

export const scale: Command = {
  name: "scale",
  summary: "Set a new size for a deployment, replica set, or replication controller",
  usage: "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
  examples: `ctl scale --replicas=3 rs/foo
ctl scale --current-replicas=2 --replicas=3 deployment/mysql`,
  flags: [
    ...filenameFlags,
    ...printFlags,
    selectorFlag,
    allFlag,
    dryRunFlag,
    recordFlag,
    fieldManagerFlag(""),
    { name: "replicas", type: "int", value: "-1", help: "The new number of replicas" },
    {
      name: "current-replicas",
      type: "int",
      value: "-1",
      help: "Only scale if this is the current number of replicas",
    },
    { name: "resource-version", type: "text", help: "Only if the object has this version" },
    { name: "timeout", type: "duration", value: "0s", help: "How long to wait until all are there; 0: do not wait" },
  ],
  run: runScale,
};

async function runScale(context: Context): Promise<void> {
  const { flags } = context;
  if (!flags.isSet("replicas")) throw new RequiredFlags(["replicas"]);
  const replicas = flags.int("replicas");
  if (replicas < 0)
    throw new CtlError("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
  const manager = await managerOf(context, "");
  const dryRun = dryRunOf(context);
  const count = await forEachTarget(context, { mayNameAll: true }, async (target) => {
    const { resource, namespace, name, object } = target;
    const place = { resource, namespace, name };
    const current = await context.session.read(resource, place, { subresource: "scale" });
    const now = number(current, "spec", "replicas") ?? 0;
    const expected = flags.int("current-replicas");
    if (expected !== -1 && now !== expected) throw new CtlError(`Expected replicas to be ${expected}, was ${now}`);
    const version = flags.text("resource-version");
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
    if (flags.durationMs("timeout") > 0) await untilScaled(context, target, replicas);
  });
  if (count === 0) throw new CtlError("no objects passed to scale");
}

const pollMs = 500;

async function untilScaled(context: Context, { resource, namespace, name }: Target, replicas: number): Promise<void> {
  const { clock } = context.environment;
  const endMs = clock.monotonic() + context.flags.durationMs("timeout");
  for (;;) {
    const current = await context.session.read(resource, { namespace, name }, { subresource: "scale" });
    if ((number(current, "status", "replicas") ?? 0) === replicas) return;
    if (clock.monotonic() > endMs) throw new TimedOut();
    await pause(context, pollMs);
  }
}

export const autoscale: Command = {
  name: "autoscale",
  summary: "Auto-scale a deployment, replica set, stateful set, or replication controller",
  usage: "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu-percent=CPU]",
  examples: `ctl autoscale deployment foo --min=2 --max=10
ctl autoscale rc foo --max=5 --cpu-percent=80`,
  flags: [
    ...filenameFlags,
    ...printFlags,
    dryRunFlag,
    recordFlag,
    fieldManagerFlag("autoscale"),
    { name: "min", type: "int", value: "-1", help: "The lower limit for the number of pods" },
    { name: "max", type: "int", value: "-1", help: "The greatest number of pods" },
    { name: "cpu-percent", type: "int", value: "-1", help: "The target utilization of requested CPU, in percent" },
    { name: "name", type: "text", help: "The name of the autoscaler" },
    { name: "generator", type: "text", help: "Ignored", isHidden: true },
    { name: "save-config", type: "bool", help: "Save the configuration in the last-applied annotation" },
  ],
  run: runAutoscale,
};

async function runAutoscale(context: Context): Promise<void> {
  const { flags } = context;
  const [min, max, cpu] = [flags.int("min"), flags.int("max"), flags.int("cpu-percent")];
  if (!flags.isSet("max")) throw new RequiredFlags(["max"]);
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
        metadata: { creationTimestamp: null, name: flags.text("name") || name },
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
    const place = { resource: hpas, namespace, name: flags.text("name") || name };
    const made =
      dryRun === "client"
        ? autoscaler
        : await context
            .at(place.resource)
            .create(withNamespace(autoscaler, place.resource, place.namespace), writeOptions(manager, dryRun));
    printResult(context, made, dryRun === "client" ? "created" : "autoscaled", dryRun);
  });
}
