/** `scale`: sets the number of pods of a workload. */

import { anyDuration, type FlagValues, int, string } from "../../base/flags/flag.ts";
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
  selectorFlag,
} from "../flags/declared.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { type Json, number, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { pause } from "../pause.ts";
import { recorded } from "../write/notes.ts";
import { managerOf, writeOptions } from "../write/write-options.ts";

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
  const manager = managerOf(context, "");
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
