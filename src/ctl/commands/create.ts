/** `create`: objects from files, or from flags for the common kinds. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError, whileDoing } from "../errors.ts";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  saveConfigFlag,
  selectorFlag,
  validateFlag,
  windowsFlag,
} from "../flags/declared.ts";
import { helpOf } from "../help.ts";
import { isSelected, manifestsOf, namespaceFor, readableManifestsOf, resourceOf } from "../input/lookups.ts";
import type { Manifest } from "../input/manifests.ts";
import { forEachManifest } from "../input/problems.ts";
import { rawBody } from "../input/raw.ts";
import { dryRunOf, objectPrinter, printResult } from "../output/formats.ts";
import { unknownSubcommand } from "../unknown-command.ts";
import { checkManifest, fieldValidationOf } from "../write/check.ts";
import { lastAppliedKey, recorded, withApplied } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { generators } from "./create/list.ts";
import { editNew } from "./edit-new.ts";

const createFlags = {
  ...filenameFlags,
  ...printFlags,
  ...dryRunFlag,
  ...recordFlag,
  ...validateFlag,
  ...selectorFlag,
  ...fieldManagerFlag("create"),
  edit: bool("Edit the objects before they are created"),
  raw: string("A path of the server to POST to"),
  ...saveConfigFlag,
  ...windowsFlag,
};

type CreateContext = Context<FlagValues<typeof createFlags>>;

export const create = command({
  name: "create",
  summary: "Create a resource from a file or from stdin",
  usage: "-f FILENAME",
  examples: `ctl create -f ./pod.json
cat pod.json | ctl create -f -
ctl create configmap settings --from-literal=color=blue
ctl create deployment web --image=nginx --replicas=2`,
  flags: createFlags,
  subcommands: generators,
  run,
});

async function run(context: CreateContext): Promise<void> {
  const { flags, args } = context;
  if (context.isSet("raw") && flags.edit) throw new UsageError("--raw and --edit are mutually exclusive");
  if (context.isSet("raw")) return createRaw(context);
  if (flags.filename.length === 0 && flags.kustomize === "") {
    if (args.length > 0) throw unknownGenerator(context, args);
    throw new CtlError(`Error: must specify one of -f and -k\n\n${helpOf(create, `${context.program} create`)}`, {
      isBare: true,
    });
  }
  if (args.length > 0)
    throw new CtlError(
      `Unexpected args: [${args.join(" ")}]\nSee '${context.program} create -h' for help and examples`,
    );
  const wanted = isSelected(flags.selector);
  if (!flags.edit) return createAll(context, (await manifestsOf(context)).filter(wanted));
  const edited = await editNew(context, (await readableManifestsOf(context)).filter(wanted));
  if (edited === undefined) return context.say("Edit cancelled, no changes made.");
  try {
    await createAll(context, edited.manifests);
    edited.done();
  } catch (error) {
    edited.keep();
    throw error;
  }
}

async function createAll(context: Context, manifests: readonly Manifest[]): Promise<void> {
  const { flags } = context;
  if (manifests.length === 0) throw new CtlError("no objects passed to create");
  const manager = managerOf(context, "create");
  const dryRun = dryRunOf(context);
  const key = flags["save-config"] ? await lastAppliedKey(context) : undefined;
  const printer = objectPrinter(context);
  await forEachManifest(context, manifests, async (one) => {
    await checkManifest(context, one);
    const { object: manifest, source } = one;
    const resource = await resourceOf(context, manifest, source);
    const namespace = resource.namespaced ? namespaceFor(context, manifest) : "";
    const own = await recorded(context, withNamespace(manifest, resource, namespace));
    const wanted = key === undefined ? own : withApplied(own, key);
    const made =
      dryRun === "client"
        ? wanted
        : await context
            .at(resource)
            .create(wanted, writeOptions(manager, dryRun, await fieldValidationOf(context)))
            .catch((error: unknown) => {
              throw whileDoing(context, "creating", source, error);
            });
    if (printer === undefined) printResult(context, made, "created", dryRun);
    else context.printRaw(printer(made));
  });
}

function unknownGenerator({ program, path, behaviour }: Context, args: readonly string[]): CtlError {
  const { message } = unknownSubcommand(args, create, [program, ...path].join(" "));
  const files = behaviour.asksForFilesFirst ? "Error: must specify one of -f and -k\n\n" : "";
  return new CtlError(`${files}error: ${message}`, { isBare: true });
}

async function createRaw(context: CreateContext): Promise<void> {
  const body = await rawBody(context, ["selector", "output"]);
  const response = await context.session.send.open(context.flags.raw, { method: "POST", body });
  context.printRaw(await response.text());
}
