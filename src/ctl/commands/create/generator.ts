/** What the subcommands of `create` share: an object of a kind and a name, built from flags. */

import type { Flags, FlagValues } from "../../../base/flags/flag.ts";
import { StatusError } from "../../../machinery/status/status.ts";
import { type Command, command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError, RequiredFlags, UsageError } from "../../errors.ts";
import { dryRunFlag, fieldManagerFlag, printFlags, saveConfigFlag, validateFlag } from "../../flags/declared.ts";
import { resourceOf } from "../../input/lookups.ts";
import { copy, ensure, type Json, nameOf } from "../../json.ts";
import { dryRunOf, objectPrinter, printResult } from "../../output/formats.ts";
import { fieldValidationOf } from "../../write/check.ts";
import { lastAppliedKey, withApplied } from "../../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../../write/write-options.ts";

const sharedFlags = {
  ...printFlags,
  ...dryRunFlag,
  ...validateFlag,
  ...fieldManagerFlag("create"),
  ...saveConfigFlag,
};

type GeneratorContext<F extends Flags> = Context<FlagValues<F & typeof sharedFlags>>;

interface Generator<F extends Flags> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly usage: string;
  readonly examples?: string;
  readonly flags?: F;
  /** Required flags. */
  readonly required?: readonly (keyof F & string)[];
  readonly isNamespaced: boolean;
  /** The prefix of a refusal of the server; absent: the message is unchanged. */
  readonly failure?: string;
  readonly build: (context: GeneratorContext<F>, name: string) => Json | Promise<Json>;
}

export function generator<const F extends Flags = {}>({ build, flags, ...given }: Generator<F>): Command {
  const { name, aliases, summary, usage, examples } = given;
  return command({
    name,
    ...(aliases === undefined ? {} : { aliases }),
    summary,
    usage,
    ...(examples === undefined ? {} : { examples }),
    flags: { ...flags, ...sharedFlags } as F & typeof sharedFlags,
    run: (context) => generate(context, { ...given, build: (name) => build(context, name) }),
  });
}

interface Generation extends Pick<Generator<Flags>, "required" | "isNamespaced" | "failure"> {
  readonly build: (name: string) => Json | Promise<Json>;
}

async function generate(context: Context, given: Generation): Promise<void> {
  const missing = (given.required ?? []).filter((name) => !context.flagUses.some((use) => use.name === name));
  if (missing.length > 0) throw new RequiredFlags(missing);
  const name = nameArgument(context);
  objectPrinter(context); // reports a wrong format before anything is created
  const object = await given.build(name);
  try {
    await createGenerated(context, object, given.isNamespaced, "create");
  } catch (error) {
    if (given.failure === undefined || !(error instanceof StatusError)) throw error;
    throw new CtlError(`${given.failure}${error.message}`, { cause: error });
  }
}

/** The one argument of most generators. */
function nameArgument(context: Context): string {
  const before = context.dashAt === undefined ? context.args : context.args.slice(0, context.dashAt);
  const [name] = before;
  if (name === undefined || before.length > 1)
    throw new UsageError(`exactly one NAME is required, got ${before.length}`);
  if (name === "") throw new CtlError("name must be specified");
  return name;
}

/** The words after "--": the command of a container. */
export const commandArguments = (context: Context): readonly string[] =>
  context.dashAt === undefined ? [] : context.args.slice(context.dashAt);

export async function createGenerated(
  context: Context,
  made: Json,
  isNamespaced: boolean,
  command: string,
  { isQuiet = false }: { readonly isQuiet?: boolean } = {},
): Promise<Json> {
  const { flags } = context;
  const dryRun = dryRunOf(context);
  const object = copy(made);
  if (isNamespaced && flags.namespace !== "") ensure(object, "metadata")["namespace"] = flags.namespace;
  const kept = flags["save-config"] === true ? withApplied(object, await lastAppliedKey(context)) : object;
  if (dryRun === "client") {
    printResult(context, kept, "created", dryRun);
    return kept;
  }
  const resource = await resourceOf(context, kept, "generated object");
  const place = { resource, namespace: isNamespaced ? context.namespace : "", name: nameOf(kept) };
  const result = await context
    .at(place.resource)
    .create(
      withNamespace(withoutNulls(kept), place.resource, place.namespace),
      writeOptions(managerOf(context, command), dryRun, await fieldValidationOf(context)),
    );
  if (!isQuiet) printResult(context, result, "created", dryRun);
  return result;
}

/** `creationTimestamp: null` is only printed. */
function withoutNulls(value: Json): Json {
  return JSON.parse(JSON.stringify(value, (_, item: unknown) => (item === null ? undefined : item)));
}

/** "key=value" pairs of a flag. */
export function pairsOf(words: readonly string[], flag: string): Json {
  const pairs: Json = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at <= 0) throw new CtlError(`invalid ${flag}: ${word}, expected key=value`);
    pairs[word.slice(0, at)] = word.slice(at + 1);
  }
  return pairs;
}
