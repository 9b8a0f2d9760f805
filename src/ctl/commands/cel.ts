/** `cel`: tries an expression on an object, with its type, value and cost. */

import { compile } from "../../cel/compile.ts";
import type { Compilation } from "../../cel/contract.ts";
import { describeProblems } from "../../cel/problems.ts";
import type { DeclaredType } from "../../cel/schema/declared-type.ts";
import { schemaType } from "../../cel/schema/json-schema-type.ts";
import { dyn, type Type, typeName } from "../../cel/types/types.ts";
import { jsonValue } from "../../cel/values/json.ts";
import { printValue } from "../../cel/values/print.ts";
import { EvaluationError, type Value } from "../../cel/values/values.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { levels } from "../../machinery/schema/level.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { filenameFlags } from "../flags/declared.ts";
import { hasFiles, manifestsOf } from "../input/lookups.ts";
import { apiVersionOf, isJson, type Json, kindOf, list, object, text } from "../json.ts";

export const cel = command({
  name: "cel",
  summary: "Try an expression (CEL) on an object",
  usage: "EXPRESSION [-f FILENAME]",
  description:
    "The object is `self` and `object`. Its fields have the types of its definition, if that is in a file too, and otherwise those of their values. Nothing is sent anywhere. The exit code is 1 if the expression does not compile or has no value.",
  examples: `ctl cel 'self.spec.replicas < 5' -f deployment.yaml
ctl cel 'self.spec.min < self.spec.max' -f widget.yaml -f definition.yaml
ctl cel '"a,b".split(",").map(x, x.upperAscii())'`,
  flags: filenameFlags,
  run,
});

/** Names of the object in definitions, and in policies. */
const variables = ["self", "object"];

async function run(context: Context): Promise<number> {
  const [expression, ...more] = context.args;
  if (expression === undefined || more.length > 0) throw new CtlError("name one expression, in quotes");
  const { compilation, value } = await compiled(context, expression);
  const { program, problems } = compilation;
  if (program === undefined) {
    context.say(describeProblems(expression, problems));
    return 1;
  }
  const { value: result, cost } = program.evaluate(Object.fromEntries(variables.map((name) => [name, value])));
  const shown = result instanceof EvaluationError ? `error: ${result.message}` : printValue(result);
  context.print(`${shown}\n`);
  context.say(`type ${typeName(program.type)}, cost ${cost}`);
  return result instanceof EvaluationError ? 1 : 0;
}

async function compiled(context: Context, expression: string): Promise<{ compilation: Compilation; value?: Value }> {
  const compileWith = (type: Type | undefined) =>
    compile(expression, {
      release: levels.at(-1)!,
      variables: new Map(type === undefined ? [] : variables.map((name) => [name, type])),
    });
  if (!hasFiles(context)) return { compilation: compileWith(undefined) };
  const manifests = (await manifestsOf(context)).map((manifest) => manifest.object);
  const definitions = manifests.filter((manifest) => kindOf(manifest) === "CustomResourceDefinition");
  const [subject = definitions[0], ...others] = manifests.filter((manifest) => !definitions.includes(manifest));
  if (subject === undefined || others.length > 0)
    throw new CtlError("the files must hold one object, and may hold its definition");
  const declared = declaredType(subject, definitions) ?? inferredType(subject);
  const compilation = compileWith(declared?.type ?? dyn);
  // A field that this object does not have may be in another one.
  const isOpen = compilation.problems?.every(({ message }) => message.startsWith("undefined field")) === true;
  if (isOpen && declared !== undefined && definitions.length === 0)
    return { compilation: compileWith(dyn), value: jsonValue(subject) };
  return { compilation, value: declared?.read(subject) ?? jsonValue(subject) };
}

/** From the version of the definition that the object names. */
function declaredType(subject: Json, definitions: readonly Json[]): DeclaredType | undefined {
  const [group, version] = apiVersionOf(subject).split("/");
  const definition = definitions.find(
    (one) => text(one, "spec", "group") === group && text(one, "spec", "names", "kind") === kindOf(subject),
  );
  const found = definition && list(definition, "spec", "versions").find((one) => text(one, "name") === version);
  const schema = found && object(found, "schema", "openAPIV3Schema");
  if (schema === undefined) return undefined;
  const isKubernetes = JSON.stringify(schema).includes('"x-kubernetes-');
  return schemaType(schema, { prefix: isKubernetes ? "x-kubernetes-" : "x-orch-", isResource: true, name: "self" });
}

function inferredType(subject: Json): DeclaredType | undefined {
  return schemaType(inferredSchema(subject), { prefix: "x-orch-", isResource: false, name: "self" });
}

/** The schema that the values of an object suggest; lists of different items may hold anything. */
function inferredSchema(value: unknown): JsonSchema {
  if (Array.isArray(value)) {
    const items = value.map(inferredSchema);
    const [first] = items;
    const isUniform = first !== undefined && items.every((item) => item.type === first.type);
    if (!isUniform) return {};
    const properties = Object.assign({}, ...items.map((item) => item.properties));
    return { type: "array", items: { ...first, ...(first.type === "object" ? { properties } : {}) } };
  }
  if (isJson(value)) {
    const properties = Object.entries(value).map(([name, member]) => [name, inferredSchema(member)] as const);
    return { type: "object", properties: Object.fromEntries(properties) };
  }
  if (typeof value === "string") return { type: "string" };
  if (typeof value === "boolean") return { type: "boolean" };
  return typeof value === "number" ? { type: Number.isInteger(value) ? "integer" : "number" } : {};
}
