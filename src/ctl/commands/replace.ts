/** `replace`: replaces objects on the server by those of files. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, throwFailures, whileDoing } from "../errors.ts";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  saveConfigFlag,
  subresourceFlag,
  validateFlag,
} from "../flags/declared.ts";
import { manifestsOf, namespaceFor, resourceOf, subresourceOf } from "../input/lookups.ts";
import type { Manifest } from "../input/manifests.ts";
import { located } from "../input/problems.ts";
import { rawBody } from "../input/raw.ts";
import { findObject } from "../input/targets.ts";
import { type Json, nameOf, object, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { kindName } from "../server/resource-names.ts";
import { checkManifest, fieldValidationOf } from "../write/check.ts";
import { lastApplied, lastAppliedKey, recorded, withApplied } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { deleteAndWait, deletionFlags, propagationOf } from "./delete.ts";

const replaceFlags = {
  ...filenameFlags,
  ...printFlags,
  ...deletionFlags,
  ...dryRunFlag,
  ...recordFlag,
  ...validateFlag,
  ...subresourceFlag,
  ...fieldManagerFlag("replace"),
  ...saveConfigFlag,
  raw: string("A path of the server to PUT to"),
};

type ReplaceContext = Context<FlagValues<typeof replaceFlags>>;

export const replace = command({
  name: "replace",
  summary: "Replace a resource by filename or stdin",
  usage: "-f FILENAME",
  examples: `ctl replace -f ./pod.json
ctl replace --force -f ./pod.json`,
  flags: replaceFlags,
  run,
});

async function run(context: ReplaceContext): Promise<void> {
  const { flags } = context;
  if (context.isSet("raw")) return replaceRaw(context);
  const isForced = flags.force;
  if (flags["grace-period"] >= 0 && context.isSet("grace-period") && !isForced)
    throw new CtlError("--grace-period must have --force specified");
  if (flags.timeout !== 0 && !isForced) throw new CtlError("--timeout must have --force specified");
  if (isForced && dryRunOf(context) === "server") throw new CtlError("--dry-run=server cannot be used with --force");
  if (flags.filename.length === 0 && flags.kustomize === "") throw new CtlError("must specify one of -f and -k");
  const manifests = await manifestsOf(context);
  if (manifests.length === 0) throw new CtlError("no objects passed to replace");
  const manager = managerOf(context, "replace");
  const key = await lastAppliedKey(context);
  const dryRun = dryRunOf(context);
  const failures: unknown[] = [];
  const forced: Forced[] = [];
  for (const one of manifests) {
    try {
      await checkManifest(context, one);
      const { object: manifest, source } = one;
      const resource = await resourceOf(context, manifest, source);
      const namespace = resource.namespaced ? namespaceFor(context, manifest) : "";
      const place = { resource, namespace, name: nameOf(manifest) };
      const keeps = flags["save-config"] || lastApplied(manifest, key) !== undefined;
      const own = await recorded(context, withNamespace(manifest, resource, namespace));
      const wanted = keeps ? withApplied(own, key) : own;
      if (dryRun === "client") {
        printResult(context, wanted, "replaced", dryRun);
        continue;
      }
      if (isForced) forced.push({ place, wanted, manifest: one });
      else {
        const options = writeOptions(manager, dryRun, await fieldValidationOf(context));
        const versioned = await withVersion(context, wanted, place);
        const replaced = context.at(resource).update(versioned, { ...options, subresource: subresourceOf(context) });
        const result = await replaced.catch((error: unknown) => {
          throw whileDoing(context, "replacing", source, error);
        });
        printResult(context, result, "replaced", dryRun);
      }
    } catch (error) {
      failures.push(located(context, one, error));
    }
  }
  await recreateAll(context, forced, manager, failures);
  throwFailures(failures);
}

interface Place {
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
}

/** Some kinds, such as services, are only replaced in the version that is named; a manifest without one means the newest. */
async function withVersion(context: ReplaceContext, wanted: Json, place: Place): Promise<Json> {
  if (text(wanted, "metadata", "resourceVersion") !== "") return wanted;
  const resourceVersion = text(await findObject(context, place), "metadata", "resourceVersion");
  return resourceVersion === "" ? wanted : { ...wanted, metadata: { ...object(wanted, "metadata"), resourceVersion } };
}

interface Forced {
  readonly place: Place;
  readonly wanted: Json;
  readonly manifest: Manifest;
}

/** Deletes all objects before it creates the first one: dependents may have to be deleted with their owner. */
async function recreateAll(
  context: ReplaceContext,
  objects: readonly Forced[],
  manager: string,
  failures: unknown[],
): Promise<void> {
  const { flags } = context;
  const options = {
    propagationPolicy: propagationOf(context),
    gracePeriodSeconds: context.isSet("grace-period") ? flags["grace-period"] : 0,
    timeoutMs: flags.timeout,
  };
  const gone: Forced[] = [];
  for (const one of objects) {
    const { place } = one;
    try {
      if ((await findObject(context, place)) !== undefined) {
        await deleteAndWait(context, place, options);
        context.print(`${kindName(place.resource)} "${place.name}" deleted\n`);
      }
      gone.push(one);
    } catch (error) {
      failures.push(located(context, one.manifest, error));
    }
  }
  for (const { place, wanted, manifest } of gone)
    try {
      const namespaced = withNamespace(wanted, place.resource, place.namespace);
      const options = writeOptions(manager, "none", await fieldValidationOf(context));
      printResult(context, await context.at(place.resource).create(namespaced, options), "replaced");
    } catch (error) {
      failures.push(located(context, manifest, whileDoing(context, "replacing", manifest.source, error)));
    }
}

async function replaceRaw(context: ReplaceContext): Promise<void> {
  const body = await rawBody(context, ["output"]);
  const response = await context.session.send.open(context.flags.raw, { method: "PUT", body });
  context.printRaw(await response.text());
}
