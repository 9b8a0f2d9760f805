/** `types`: TypeScript for the custom resources of a server or of files. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { filenameFlags } from "../flags/declared.ts";
import { hasFiles, readableManifestsOf } from "../input/lookups.ts";
import { kindOf } from "../json.ts";
import { type Definition, isNamed, readDefinition } from "../types/definitions.ts";
import { printDeclarations } from "../types/print-declarations.ts";
import { printModule } from "../types/print-module.ts";

const typesFlags = {
  ...filenameFlags,
  output: string("d.ts: types with their documentation; module: declarations of defineResource", "d.ts", {
    short: "o",
  }),
};

type TypesContext = Context<FlagValues<typeof typesFlags>>;

export const types = command({
  name: "types",
  summary: "TypeScript for custom resources",
  usage: "[NAME | GROUP...] [-f FILENAME] [-o d.ts|module]",
  description:
    "Reads the definitions of the server, or of files with -f, and prints a file for programs that use orch/client. Built-in kinds come with the package: orch/types.",
  examples: `ctl types > resources.d.ts
ctl types widgets.example.com -o module > widget.ts
ctl types -f definitions/ -o module`,
  flags: typesFlags,
  run,
});

const printers: Readonly<Record<string, (definitions: readonly Definition[]) => string>> = {
  "d.ts": printDeclarations,
  module: printModule,
};

async function run(context: TypesContext): Promise<void> {
  const { args, flags } = context;
  const print = Object.hasOwn(printers, flags.output) ? printers[flags.output] : undefined;
  if (print === undefined)
    throw new CtlError(`--output must be one of ${Object.keys(printers).join(", ")}, not "${flags.output}"`);
  const all = hasFiles(context) ? await definitionsOfFiles(context) : await definitionsOfServer(context);
  const missing = args.find((name) => !all.some((definition) => isNamed(definition, name)));
  if (missing !== undefined) throw new CtlError(`no definition is called "${missing}"`);
  const chosen = args.length === 0 ? all : all.filter((definition) => args.some((name) => isNamed(definition, name)));
  if (chosen.length === 0) throw new CtlError("there is no definition of a custom resource");
  context.printRaw(print(chosen));
}

/** Other objects may be in the same files. */
async function definitionsOfFiles(context: TypesContext): Promise<Definition[]> {
  const manifests = await readableManifestsOf(context);
  return manifests
    .filter(({ object }) => kindOf(object) === "CustomResourceDefinition")
    .map(({ object, source }) => readDefinition(object, source));
}

async function definitionsOfServer(context: TypesContext): Promise<Definition[]> {
  const resource = (await context.discovery()).find("customresourcedefinitions");
  if (resource === undefined) throw new CtlError("the server has no custom resources");
  const { items } = await context.session.at(resource).listAll();
  return items.map((item) => readDefinition({ ...item }, "the server"));
}
