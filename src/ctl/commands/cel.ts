/** `cel`: tries an expression on objects, with its type, value and cost. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import { compile } from "../../cel/compile.ts";
import type { Compilation } from "../../cel/contract.ts";
import { describeProblems } from "../../cel/problems.ts";
import { dyn, type Type, typeName } from "../../cel/types/types.ts";
import { jsonValue } from "../../cel/values/json.ts";
import { printValue } from "../../cel/values/print.ts";
import { EvaluationError, type Value } from "../../cel/values/values.ts";
import { levels } from "../../machinery/schema/levels.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { filenameFlags } from "../flags/declared.ts";
import { hasFiles, readableManifestsOf } from "../input/lookups.ts";
import { readManifests } from "../input/manifests.ts";
import { type Json, kindOf, nameOf } from "../json.ts";
import { declaredType, inferredType } from "../types/expression-types.ts";

const celFlags = {
  ...filenameFlags,
  old: string("File with the object before, for oldSelf and oldObject"),
  params: string("File with the object that is params"),
};
type CelContext = Context<FlagValues<typeof celFlags>>;

export const cel = command({
  name: "cel",
  summary: "Try an expression (CEL) on an object",
  usage: "EXPRESSION [-f FILENAME] [--old FILENAME] [--params FILENAME]",
  description:
    "The object is `self` and `object`; several are tried one after the other. Its fields have the types of its definition, if that is in a file too, and otherwise those of their values. `oldSelf` and `oldObject` is the object of --old, `params` that of --params. Nothing is sent anywhere. The exit code is 1 if the expression does not compile or has no value.",
  examples: `ctl cel 'self.spec.replicas < 5' -f deployment.yaml
ctl cel 'self.spec.min < self.spec.max' -f widget.yaml -f definition.yaml
ctl cel 'self.spec.size >= oldSelf.spec.size' -f widget.yaml --old before.yaml
ctl cel 'object.spec.replicas <= params.data.max' -f deployment.yaml --params limits.yaml
ctl cel '"a,b".split(",").map(x, x.upperAscii())'`,
  flags: celFlags,
  run,
});

/** Names of an object in definitions, and in policies. */
const names = ["self", "object"];
const oldNames = ["oldSelf", "oldObject"];

async function run(context: CelContext): Promise<number> {
  const [expression, ...more] = context.args;
  if (expression === undefined)
    throw new UsageError(`no expression is given; for example: ${context.program} cel '1 + 1'`);
  if (more.length > 0)
    throw new UsageError(`${context.args.length} expressions are given, but one is tried: put it in quotes`);
  const files = await read(context);
  const subjects = files.subjects.length > 0 ? files.subjects : [undefined];
  let code = 0;
  for (const subject of subjects) {
    const label = subjects.length > 1 && subject !== undefined ? `${labelOf(subject)}: ` : "";
    if (!tryOne(context, expression, { ...files, subject, label })) code = 1;
  }
  return code;
}

interface Files {
  readonly subjects: readonly Json[];
  readonly definitions: readonly Json[];
  readonly old: Json | undefined;
  readonly params: Json | undefined;
}

async function read(context: CelContext): Promise<Files> {
  const { flags } = context;
  const manifests = hasFiles(context) ? (await readableManifestsOf(context)).map((manifest) => manifest.object) : [];
  const definitions = manifests.filter((manifest) => kindOf(manifest) === "CustomResourceDefinition");
  const others = manifests.filter((manifest) => !definitions.includes(manifest));
  return {
    definitions,
    // A definition alone is the object.
    subjects: others.length > 0 ? others : definitions.slice(0, 1),
    old: await readObject(context, "old", flags.old),
    params: await readObject(context, "params", flags.params),
  };
}

async function readObject(context: Context, flag: string, filename: string): Promise<Json | undefined> {
  if (filename === "") return undefined;
  const [manifest, ...more] = await readManifests(context.environment, { filenames: [filename], isRecursive: false });
  if (manifest === undefined || more.length > 0) throw new CtlError(`--${flag}: ${filename} must hold one object`);
  if (manifest.problem !== undefined) throw manifest.problem;
  return manifest.object;
}

interface Trial extends Omit<Files, "subjects"> {
  readonly subject: Json | undefined;
  /** What stands before its lines. */
  readonly label: string;
}

/** Whether the expression has a value. */
function tryOne(context: Context, expression: string, trial: Trial): boolean {
  const { compilation, bindings } = compiled(expression, trial);
  const { program, problems } = compilation;
  if (program === undefined) {
    const hints = problems.flatMap(({ message }) => hintOf(message));
    context.say([trial.label + describeProblems(expression, problems), ...new Set(hints)].join("\n"));
    return false;
  }
  const { value, cost } = program.evaluate(bindings);
  const isError = value instanceof EvaluationError;
  context.print(`${trial.label}${isError ? `error: ${value.message}` : printValue(value)}\n`);
  context.say(`${trial.label}type ${typeName(program.type)}, cost ${cost}`);
  return !isError;
}

function compiled(
  expression: string,
  { subject, definitions, old, params }: Trial,
): { compilation: Compilation; bindings: Readonly<Record<string, Value>> } {
  // A type that is known from values alone has the fields of both objects.
  const declared = subject && (declaredType(subject, definitions) ?? inferredType(old ? [subject, old] : [subject]));
  const paramsType = params && inferredType([params]);
  const readWith = (type: typeof declared, object: Json) => type?.read(object) ?? jsonValue(object);
  const isOpen = (compilation: Compilation) =>
    definitions.length === 0 &&
    compilation.problems?.every(({ message }) => message.startsWith("undefined field")) === true;
  const compileWith = (isTyped: boolean) => {
    const variables = new Map<string, Type>();
    const bindings: Record<string, Value> = {};
    const bind = (bound: readonly string[], object: Json | undefined, type: typeof declared) => {
      if (object === undefined) return;
      for (const name of bound) {
        variables.set(name, isTyped ? (type?.type ?? dyn) : dyn);
        bindings[name] = isTyped ? readWith(type, object) : jsonValue(object);
      }
    };
    bind(names, subject, declared);
    bind(oldNames, old, declared);
    bind(["params"], params, paramsType);
    return { compilation: compile(expression, { release: levels.at(-1)!, variables }), bindings };
  };
  const typed = compileWith(true);
  // A field that these objects do not have may be in another one.
  return isOpen(typed.compilation) ? compileWith(false) : typed;
}

/** Where a name that is not declared comes from. */
function hintOf(message: string): string[] {
  const name = /^undeclared reference to '(\w+)'/.exec(message)?.[1] ?? "";
  if (names.includes(name)) return [`${name} is the object of a file: -f FILENAME`];
  if (oldNames.includes(name)) return [`${name} is the object before: --old FILENAME`];
  if (name === "params") return ["params is the object of a file: --params FILENAME"];
  return [];
}

const labelOf = (subject: Json) => `${(kindOf(subject) || "object").toLowerCase()}/${nameOf(subject) || "-"}`;
