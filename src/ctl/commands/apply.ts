/**
 * `apply`: creates or updates objects from files, on the server by default, or on the client with the last-applied
 * annotation.
 */

import { bool, type FlagValues, strings } from "../../base/flags/flag.ts";
import type { DiscoveredResource, ObjectAddress } from "../../client/contract.ts";
import { isConflict } from "../../client/requests/refusals.ts";
import { createThreeWayPatch } from "../../machinery/patch/create-patch.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, describeError, Errors, throwFailures, whileDoing } from "../errors.ts";
import {
  allFlag,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  selectorFlag,
  validateFlag,
} from "../flags/declared.ts";
import { goJson } from "../go-json.ts";
import { hasFiles, isSelected, manifestsOf, namespaceFor, resourceOf } from "../input/lookups.ts";
import type { Manifest } from "../input/manifests.ts";
import { located } from "../input/problems.ts";
import { findObject } from "../input/targets.ts";
import { type Json, nameOf, text } from "../json.ts";
import { asList, type DryRun, dryRunOf, objectPrinter, printResult } from "../output/formats.ts";
import { Progress } from "../output/progress.ts";
import { batchesOf } from "../write/batches.ts";
import { ChangesSince } from "../write/changes-since.ts";
import { checkManifest, choiceOf, fieldValidationOf, problemsOf } from "../write/check.ts";
import { explainConflict } from "../write/conflicts.ts";
import { workInOrder } from "../write/in-order.ts";
import { lastApplied, lastAppliedKey, recorded, withApplied } from "../write/notes.ts";
import { withoutOtherNames } from "../write/other-names.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { applyAtomically } from "./apply-atomic.ts";
import { editLastApplied, setLastApplied, viewLastApplied } from "./apply-last-applied.ts";
import { prunable, prune, pruneFlags } from "./apply-prune.ts";
import { deleteAndWait, deletionFlags, propagationOf } from "./delete.ts";

const applyFlags = {
  ...filenameFlags,
  ...printFlags,
  ...pruneFlags,
  ...deletionFlags,
  ...selectorFlag,
  ...allFlag,
  ...dryRunFlag,
  ...recordFlag,
  ...validateFlag,
  ...fieldManagerFlag("client-side-apply"),
  "server-side": bool("Let the server merge"),
  "client-side": bool("Merge in the client, with the last-applied annotation"),
  "force-conflicts": bool("Take over fields that others own"),
  atomic: bool("Store all objects, or none"),
  overwrite: bool("Ignored: the values of the manifest are always set", true),
  "openapi-patch": bool("Ignored", true, { isHidden: true }),
  "yield-to": strings("Omit fields that these managers own"),
};

type ApplyContext = Context<FlagValues<typeof applyFlags>>;

export const apply = command({
  name: "apply",
  summary: "Apply a configuration to a resource by filename or stdin",
  usage: "(-f FILENAME | -k DIRECTORY)",
  description:
    "Under the name ctl the server merges (server-side apply) and records who owns which field. --client-side, and the name kubectl, merge here and keep what was applied in an annotation.",
  examples: `ctl apply -f ./pod.json
ctl apply -k dir/
ctl apply --atomic -f ./shop/
cat pod.json | ctl apply -f -
ctl apply -f manifest.yaml --prune -l app=nginx`,
  flags: applyFlags,
  ownDefaults: { "server-side": true, "field-manager": "ctl" },
  subcommands: [viewLastApplied, setLastApplied, editLastApplied],
  run,
});

/** The applied objects, which pruning must not delete. */
export interface AppliedObjects {
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What the flags of an apply say, once they are known to be consistent. */
interface ApplyPlan {
  readonly isServerSide: boolean;
  readonly dryRun: DryRun;
  readonly changes: ChangesSince;
  /** Whether fields of other managers are taken over. */
  readonly isForced: boolean;
}

async function run(context: ApplyContext): Promise<void> {
  const plan = checkFlags(context);
  const { flags } = context;
  const pruned = flags.prune ? await prunable(context) : [];
  const selected = (await manifestsOf(context)).filter(isSelected(flags.selector));
  if (selected.length === 0) throw new CtlError("no objects passed to apply");
  const failures: unknown[] = [];
  const applied: AppliedTarget[] = flags.atomic ? [...(await applyAtomically(context, selected, plan))] : [];
  const progress = new Progress(context, selected.length);
  const hasFormat = objectPrinter(context) !== undefined;
  let started = 0;
  await workInOrder({
    batches: flags.atomic ? [] : batchesOf(selected),
    work(manifest) {
      progress.show(`applying ${++started} of ${selected.length}: ${manifest.source}`);
      return applyOne(context, manifest, plan).catch(async (error: unknown) => {
        throw located(context, manifest, await withMisspelt(context, manifest.object, error));
      });
    },
    onDone(one) {
      applied.push(one);
      progress.clear();
      if (!hasFormat) printResult(context, one.result, one.operation, plan.dryRun);
    },
    onFailed(error) {
      if (context.signal.aborted) throw error;
      failures.push(error);
    },
  });
  progress.clear();
  if (flags.atomic && !hasFormat)
    for (const { result, operation } of applied) printResult(context, result, operation, plan.dryRun);
  report(
    context,
    applied.map(({ result }) => result),
  );
  throwFailures(failures);
  if (flags.prune) await prune(context, applied.map(identityOf), pruned);
}

/** A server that merges names the first unknown field; its schemas name all of them. */
async function withMisspelt(context: ApplyContext, manifest: Json, error: unknown): Promise<unknown> {
  // Servers refuse such a field with one or the other, some without a reason, before they look at anything else of the object.
  const mayBeAboutFields = error instanceof StatusError && [400, 500].includes(error.code);
  if (!context.behaviour.locatesErrors || !mayBeAboutFields || choiceOf(context) !== "Strict") return error;
  const problems = await problemsOf(context.session.openApi, manifest).catch(() => []);
  return problems.length === 0 ? error : new Errors(problems.map((problem) => new CtlError(problem, { cause: error })));
}

/** What is more than one write for each object. */
const atomicRefuses = ["prune", "force", "yield-to"] as const;

/** Throws if flags contradict each other. */
function checkFlags(context: ApplyContext): ApplyPlan {
  const { flags, args } = context;
  if (args.length > 0 && hasFiles(context))
    throw new CtlError(`Unexpected args: [${args.join(" ")}]\nSee '${context.program} apply -h' for help and examples`);
  const dryRun = dryRunOf(context);
  const isServerSide = mergesOnServer(context);
  const isChosen = isServerSide && context.isSet("server-side");
  const notTogether = flags.atomic && atomicRefuses.find((name) => context.isSet(name));
  if (notTogether) throw new CtlError(`--atomic cannot be used with --${notTogether}`);
  if (flags.atomic && !isServerSide) throw new CtlError("--atomic needs --server-side: the server merges all objects");
  if (flags.atomic && dryRun === "client")
    throw new CtlError("--atomic cannot be used with --dry-run=client (did you mean --dry-run=server instead?)");
  if (flags["force-conflicts"] && !isServerSide) throw new CtlError("--force-conflicts only works with --server-side");
  if (flags.force && isChosen) throw new CtlError("--force cannot be used with --server-side");
  if (flags.force && dryRun === "server") throw new CtlError("--dry-run=server cannot be used with --force");
  if (dryRun === "client" && isChosen)
    throw new CtlError("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)");
  if (flags.prune && !flags.all && flags.selector === "")
    throw new CtlError(
      "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
    );
  if (flags.prune && flags.all && flags.selector !== "")
    throw new CtlError("cannot set --all and --selector at the same time");
  if (flags.filename.length === 0 && flags.kustomize === "") throw new CtlError("must specify one of -f and -k");
  propagationOf(context); // warns if a value of --cascade is deprecated, throws if it is wrong
  const isForced = flags["force-conflicts"];
  return { isServerSide: isServerSide && dryRun !== "client", dryRun, changes: new ChangesSince(context), isForced };
}

/** Whether the server merges, as under our own name, or the client, as under the name kubectl. */
export function mergesOnServer(
  context: Context<{ readonly "server-side": boolean; readonly "client-side": boolean }>,
): boolean {
  const { flags } = context;
  return context.isSet("server-side")
    ? flags["server-side"]
    : context.behaviour.appliesOnServer && !flags["client-side"];
}

async function applyOne(context: ApplyContext, given: Manifest, plan: ApplyPlan): Promise<AppliedTarget> {
  await checkManifest(context, given);
  const { object, source } = given;
  const resource = await resourceOf(context, object, source);
  const namespace = resource.namespaced ? namespaceFor(context, object) : "";
  const manifest = await recorded(context, withNamespace(object, resource, namespace));
  const target = { resource, namespace, manifest, source };
  const done = await (plan.isServerSide ? serverSide : clientSide)(context, target, plan);
  return { ...target, ...done };
}

/** Prints the objects in the format of -o; without one, each was reported when it was done. */
function report(context: ApplyContext, results: readonly Json[]): void {
  const printer = objectPrinter(context);
  const [first] = results;
  if (printer === undefined || first === undefined) return;
  if (results.length === 1) context.printRaw(printer(first));
  else if (["name", "ndjson"].includes(context.flags.output)) context.printRaw(results.map(printer).join(""));
  else context.printRaw(printer({ ...asList(context, results), metadata: {} }));
}

function identityOf({ resource, namespace, result }: AppliedTarget): AppliedObjects {
  return { resource, namespace, name: nameOf(result), uid: text(result, "metadata", "uid") };
}

interface Target {
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly manifest: Json;
  readonly source: string;
}

interface AppliedObject {
  readonly result: Json;
  readonly operation: string;
}

type AppliedTarget = Target & AppliedObject;

async function serverSide(
  context: ApplyContext,
  target: Target,
  { dryRun, changes }: ApplyPlan,
): Promise<AppliedObject> {
  const { resource, namespace, manifest } = target;
  const name = nameOf(manifest);
  if (name === "") throw new CtlError("metadata.name must be set");
  const manager = managerOf(context, "");
  const place = { resource, namespace, name };
  const isForced = context.flags["force-conflicts"];
  const written = writeOptions(manager, dryRun, await fieldValidationOf(context));
  const send = async (object: Json, force = false): Promise<AppliedObject> => {
    const options = { ...written, force: force || isForced };
    if (!context.behaviour.tellsWhatChanged)
      return {
        result: await context.at(resource).patch(place, object, { ...options, type: "apply" }),
        operation: "serverside-applied",
      };
    const isChanged = await changes.watch(place);
    const { object: result, isCreated } = await context.at(resource).apply(place, object, options);
    return { result, operation: isCreated ? "created" : isChanged(result) ? "configured" : "unchanged" };
  };
  try {
    const as = { place, manager, isDryRun: dryRun !== "none" };
    return await withoutOtherNames(context, as, (force) => send(manifest, force));
  } catch (error) {
    if (!isConflict(error)) throw error;
    return explainConflict(context, {
      place,
      manifest,
      manager,
      error,
      retry: async (next) => (await send(next)).result,
    });
  }
}

/** How often to retry after a conflict with another writer. */
const conflictRetriesMax = 5;

async function clientSide(context: ApplyContext, target: Target, { dryRun }: ApplyPlan): Promise<AppliedObject> {
  const { resource, namespace, manifest } = target;
  const key = await lastAppliedKey(context);
  const modified = withApplied(manifest, key);
  const name = nameOf(manifest);
  const manager = managerOf(context, "client-side-apply");
  if (name === "" && text(manifest, "metadata", "generateName") !== "")
    throw new CtlError(`from ${text(manifest, "metadata", "generateName")}: cannot use generate name with apply`);
  const place = { resource, namespace, name };
  if (name === "")
    throw new CtlError(
      `error when retrieving current configuration of:\n${shownAddress(place)}\nfrom server for: "${target.source}": resource name may not be empty`,
    );
  for (let attempt = 0; ; attempt++) {
    const live = await findObject(context, place).catch((error: unknown) => {
      throw whileDoing(
        context,
        `retrieving current configuration of:\n${shownAddress(place)}\nfrom server for:`,
        target.source,
        error,
      );
    });
    if (live === undefined) {
      if (dryRun === "client") return { result: modified, operation: "created" };
      const options = writeOptions(manager, dryRun, await fieldValidationOf(context));
      const made = context.at(resource).create(modified, options);
      const result = await made.catch((error: unknown) => {
        throw whileDoing(context, "creating", target.source, error);
      });
      return { result, operation: "created" };
    }
    if (dryRun === "client" && !context.behaviour.mergesInDryRun) return { result: live, operation: "configured" };
    const original = lastApplied(live, key);
    if (original === undefined)
      context.say(
        `Warning: resource ${resource.resource}/${name} is missing the ${key} annotation which is required by ${context.program} apply. ${context.program} apply should only be used on resources created declaratively by either ${context.program} create --save-config or ${context.program} apply. The missing annotation will be patched automatically.`,
      );
    const schema = await context.session.openApi.mergeSchema(resource);
    const patch = createThreeWayPatch({ original: original ?? {}, modified, current: live }, schema);
    if (Object.keys(patch).length === 0) return { result: live, operation: "unchanged" };
    if (dryRun === "client") return { result: live, operation: "configured" };
    try {
      const result = await context.at(resource).patch(place, patch, {
        ...writeOptions(manager, dryRun, await fieldValidationOf(context)),
        type: schema === undefined ? "merge" : "strategic",
      });
      const isSameVersion = text(live, "metadata", "resourceVersion") === text(result, "metadata", "resourceVersion");
      return {
        result,
        operation:
          isSameVersion && dryRun === "none" && context.behaviour.tellsWhatChanged ? "unchanged" : "configured",
      };
    } catch (error) {
      if (isConflict(error) && attempt < conflictRetriesMax) continue;
      const isStuck = isConflict(error) || (error instanceof StatusError && error.reason === "Invalid");
      if (!context.flags.force || !isStuck) throw whileDoing(context, patching(place, patch), target.source, error);
      return { result: await recreate(context, place, { modified, live, manager }), operation: "configured" };
    }
  }
}

/** Shows the refused patch, so that a user can see what is in conflict. */
function patching({ resource, namespace, name }: ObjectAddress, patch: Json): string {
  return `applying patch:\n${goJson(patch)}\nto:\n${shownAddress({ resource, namespace, name })}\nfor:`;
}

function shownAddress({ resource, namespace, name }: ObjectAddress): string {
  const version = `${resource.group}/${resource.version}`;
  return `Resource: "${version}, Resource=${resource.resource}", GroupVersionKind: "${version}, Kind=${resource.kind}"\nName: "${name}", Namespace: "${namespace}"`;
}

/** Deletes and creates again; the old object is restored if the new one is refused. */
async function recreate(
  context: ApplyContext,
  place: ObjectAddress,
  { modified, live, manager }: { readonly modified: Json; readonly live: Json; readonly manager: string },
): Promise<Json> {
  const grace = context.flags["grace-period"];
  await deleteAndWait(context, place, {
    gracePeriodSeconds: grace >= 0 ? grace : undefined,
    timeoutMs: context.flags.timeout,
  });
  try {
    return await context.at(place.resource).create(modified, writeOptions(manager));
  } catch (error) {
    await context
      .at(place.resource)
      .create(live, writeOptions(manager))
      .catch((second: unknown) => {
        throw new CtlError(
          `An error occurred force-replacing the existing object with the newly provided object:\n\n${describeError(error)}.\n\nAdditionally, an error occurred attempting to restore the original object:\n\n${describeError(second)}`,
        );
      });
    throw error;
  }
}
