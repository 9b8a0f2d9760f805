/** `diff`: what an apply would change. Exit codes: 0 nothing, 1 something, 2 an error. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { unifiedDiff } from "../../base/unified-diff.ts";
import type { ObjectAddress } from "../../client/contract.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { createThreeWayPatch } from "../../machinery/patch/create-patch.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, describeError, Exit, UsageError } from "../errors.ts";
import { type Pair, showDiff } from "../external-diff.ts";
import { fieldManagerFlag, filenameFlags, selectorFlag } from "../flags/declared.ts";
import { findLookups, manifestsOf, namespaceFor, resourceOf } from "../input/lookups.ts";
import { pastOf, requirePast, stateAt } from "../input/past.ts";
import { forEachManifest } from "../input/problems.ts";
import { findObject } from "../input/targets.ts";
import { copy, ensure, isJson, type Json, nameOf, namespaceOf, object, text } from "../json.ts";
import { maskSecret } from "../output/changes.ts";
import { colored, showControls } from "../output/terminal.ts";
import { lastApplied, lastAppliedKey, withApplied } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { type AppliedObjects, mergesOnServer } from "./apply.ts";
import { prunable, prunedBy, pruneFlags } from "./apply-prune.ts";

const diffFlags = {
  ...filenameFlags,
  ...selectorFlag,
  ...fieldManagerFlag("client-side-apply"),
  "server-side": bool("Compare with the result of a server-side apply"),
  "client-side": bool("Compare with the result of a client-side apply"),
  "force-conflicts": bool("Compare as if fields of other managers were taken over"),
  "show-managed-fields": bool("Also compare managedFields"),
  ...pruneFlags,
  from: string(
    "Compare the named object as it was at a time, so long ago (-10m) or at a resourceVersion, with what it is now",
  ),
  prune: bool("Also show the objects that apply --prune would delete"),
};

type DiffContext = Context<FlagValues<typeof diffFlags>>;

export const diff = command({
  name: "diff",
  summary: "Diff the live version against a would-be applied version",
  usage: "(-f FILENAME | (TYPE NAME | TYPE/NAME) --from=-10m)",
  examples: `ctl diff -f pod.json
cat service.yaml | ctl diff -f -
ctl diff -k folder/
ctl diff -f folder/ --prune -l app=shop
ctl diff deploy/web --from=-10m`,
  description:
    "Exits with 0 if nothing differs, 1 if something does, and more than 1 after an error. Values of Secrets are masked.",
  flags: diffFlags,
  ownDefaults: { "server-side": true, "field-manager": "ctl" },
  run,
});

async function run(context: DiffContext): Promise<number> {
  try {
    return (await compareAll(context)) ? 1 : 0;
  } catch (error) {
    if (error instanceof Exit || context.signal.aborted) throw error;
    context.say(describeError(error));
    throw new Exit(2);
  }
}

async function compareAll(context: DiffContext): Promise<boolean> {
  const { flags } = context;
  if (context.isSet("from")) return compareWithPast(context);
  if (context.args.length > 0) throw new CtlError(`Unexpected args: [${context.args.join(" ")}]`);
  if (flags.filename.length === 0 && flags.kustomize === "") throw new CtlError("must specify one of -f and -k");
  const kept: AppliedObjects[] = [];
  const { add, end } = differences(context, ["LIVE", "MERGED"]);
  await forEachManifest(context, await manifestsOf(context), async ({ object: manifest, source }) => {
    const resource = await resourceOf(context, manifest, source);
    const namespace = resource.namespaced ? namespaceFor(context, manifest) : "";
    const place = { resource, namespace, name: nameOf(manifest) };
    const live = await findObject(context, place);
    const after = await applied(context, place, withNamespace(manifest, resource, namespace), live);
    const [left, right] = comparable(context, live, after);
    kept.push({ ...place, uid: text(live, "metadata", "uid") });
    add(place, left === undefined ? "" : encodeYaml(left), encodeYaml(right));
  });
  for (const { resource, object: doomed } of flags.prune
    ? await prunedBy(context, kept, await prunable(context))
    : []) {
    const [left] = comparable(context, doomed, doomed);
    add({ resource, namespace: namespaceOf(doomed), name: nameOf(doomed) }, encodeYaml(left ?? {}), "");
  }
  return end();
}

/** Each named object as it was, beside what it is. */
async function compareWithPast(context: DiffContext): Promise<boolean> {
  const { flags } = context;
  for (const flag of ["filename", "kustomize", "prune"] as const)
    if (context.isSet(flag)) throw new UsageError(`--from and --${flag} cannot be used together`);
  if (flags.from === "") throw new UsageError("--from is empty");
  const past = pastOf(context, flags.from, "from");
  const { add, end } = differences(context, ["THEN", "NOW"]);
  for (const lookup of await findLookups(context, { allowLists: true })) {
    const { resource, namespace, name } = lookup;
    if (name === undefined) throw new UsageError("--from needs the name of an object");
    await requirePast(context, lookup);
    const place = { resource, namespace, name };
    const [then, now] = [await stateAt(context, resource, place, past), await context.session.find(resource, place)];
    const there = now ?? then;
    if (there === undefined)
      throw new CtlError(`${resource.resource}/${name} is not there, and was not at ${flags.from}`);
    const [left, right] = comparable(context, then, there);
    add(place, left === undefined ? "" : encodeYaml(left), now === undefined ? "" : encodeYaml(right));
  }
  return end();
}

/** Where the differences of objects go: printed at once, or shown by the program of the user at the end. */
function differences(context: DiffContext, sides: readonly [before: string, after: string]) {
  const { env } = context.environment;
  const external = env["KUBECTL_EXTERNAL_DIFF"] ?? env["CTL_EXTERNAL_DIFF"];
  const pairs: Pair[] = [];
  return {
    add(place: ObjectAddress, before: string, after: string): void {
      if (before === after) return;
      const name = fileNameOf(place);
      pairs.push({ name, before, after });
      if (!external) print(context, [`${sides[0]}/${name}`, `${sides[1]}/${name}`], before, after);
    },
    /** Whether anything differs. */
    async end(): Promise<boolean> {
      if (external && pairs.length > 0) return (await showDiff(context.environment, external, pairs)) > 0;
      return pairs.length > 0;
    },
  };
}

/** "apps.v1.Deployment.shop.web". */
const fileNameOf = ({ resource: { group, version, kind }, namespace, name }: ObjectAddress): string =>
  [group, version, kind, namespace, name].filter((part) => part !== "").join(".");

function print(context: Context, [old, now]: readonly [string, string], before: string, after: string): void {
  const text = `diff -u -N ${old} ${now}\n${unifiedDiff(before, after, { before: old, after: now })}`;
  if (!context.useColor) {
    context.print(text);
    return;
  }
  for (const line of showControls(text).split("\n").slice(0, -1)) {
    const color = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : undefined;
    context.environment.stdout.write(`${color === undefined ? line : colored(line, color)}\n`);
  }
}

/** The object that the server would store, from a dry run. */
async function applied(
  context: DiffContext,
  place: ObjectAddress,
  manifest: Json,
  live: Json | undefined,
): Promise<Json> {
  if (mergesOnServer(context)) {
    const options = {
      ...writeOptions(managerOf(context, ""), "server"),
      type: "apply" as const,
      force: context.flags["force-conflicts"] || context.behaviour.forcesInDiff,
    };
    return context.at(place.resource).patch(place, manifest, options);
  }
  const key = await lastAppliedKey(context);
  const modified = withApplied(manifest, key);
  const options = writeOptions(managerOf(context, "client-side-apply"), "server");
  if (live === undefined) return context.at(place.resource).create(modified, options);
  const schema = await context.session.openApi.mergeSchema(place.resource);
  const patch = createThreeWayPatch({ original: lastApplied(live, key) ?? {}, modified, current: live }, schema);
  if (Object.keys(patch).length === 0) return live;
  return context
    .at(place.resource)
    .patch(place, patch, { ...options, type: schema === undefined ? "merge" : "strategic" });
}

/** Both objects without fields that only record times and managers, and with masked secrets. */
function comparable(context: Context, live: Json | undefined, after: Json): [Json | undefined, Json] {
  const keepsFields = context.flags["show-managed-fields"];
  const plain = (value: Json): Json => {
    const result = copy(value);
    const metadata = ensure(result, "metadata");
    if (!keepsFields) delete metadata["managedFields"];
    const annotations = object(metadata, "annotations");
    for (const key of Object.keys(annotations))
      if (key.endsWith("/last-applied-configuration")) delete annotations[key];
    if (isJson(metadata["annotations"]) && Object.keys(annotations).length === 0) delete metadata["annotations"];
    if (live !== undefined && metadata["resourceVersion"] !== undefined && !context.behaviour.comparesVersions)
      delete metadata["resourceVersion"];
    return result;
  };
  const [left, right] = [live === undefined ? undefined : plain(live), plain(after)];
  maskSecret(left, right);
  return [left, right];
}
