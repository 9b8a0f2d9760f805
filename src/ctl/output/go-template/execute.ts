/** Runs a parsed Go template on an object. */

import { CtlError } from "../../errors.ts";
import { isJson } from "../../json.ts";
import { printValue } from "./format.ts";
import { functions, isTrue } from "./functions.ts";
import {
  type GoTemplateNode,
  type ParsedTemplate,
  type Pipeline,
  parseTemplate,
  type TemplateExpression,
} from "./parse.ts";

/** A missing field: it prints as `<no value>` and is false. */
const noValue = Symbol("no value");

class Loop extends Error {
  readonly isBreak: boolean;
  constructor(isBreak: boolean) {
    super("loop");
    this.isBreak = isBreak;
  }
}

/** The maximum depth of recursive templates. */
const depthMax = 1000;

export function runTemplate(text: string, data: unknown, options: { readonly allowMissing: boolean }): string {
  const template = parseTemplate(text);
  const run = new Run(template, options.allowMissing);
  try {
    run.list(template.nodes, data, [{ name: "", value: data }], 0);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new TemplateError(`template: output:${placeOf(text, error.at)}: ${error.message}`, error.at);
  }
  return run.text;
}

/** A template that cannot be run on this object. */
export class TemplateError extends CtlError {
  /** The part of the template that failed: ".metadata.name"; "": not known. */
  readonly at: string;
  constructor(message: string, at: string) {
    super(message);
    this.name = "TemplateError";
    this.at = at;
  }
}

/** "line:column" of the part, as far as it can be found. */
function placeOf(template: string, part: string): string {
  const index = part === "" ? -1 : template.indexOf(part);
  const before = template.slice(0, Math.max(index, 0)).split("\n");
  return index < 0 ? "1" : `${before.length}:${before.at(-1)?.length ?? 0}`;
}

/** Variables, the innermost last. Those of a block are dropped at its end. */
type Variables = { readonly name: string; value: unknown }[];

class Run {
  text = "";
  readonly #template: ParsedTemplate;
  readonly #allowMissing: boolean;

  constructor(template: ParsedTemplate, allowMissing: boolean) {
    this.#template = template;
    this.#allowMissing = allowMissing;
  }

  list(nodes: readonly GoTemplateNode[], dot: unknown, variables: Variables, depth: number): void {
    for (const node of nodes) this.#node(node, dot, variables, depth);
  }

  #node(node: GoTemplateNode, dot: unknown, variables: Variables, depth: number): void {
    const mark = variables.length;
    switch (node.at) {
      case "text":
        this.text += node.text;
        return;
      case "action": {
        const value = this.#pipeline(node.pipeline, dot, variables);
        if (node.pipeline.variables.length === 0)
          this.text += value === noValue ? "<no value>" : printValue(value, true);
        return;
      }
      case "if":
      case "with": {
        const value = this.#pipeline(node.pipeline, dot, variables);
        if (isTrue(value)) this.list(node.then, node.at === "with" ? value : dot, variables, depth);
        else this.list(node.otherwise, dot, variables, depth);
        variables.length = mark;
        return;
      }
      case "range":
        this.#range(node, dot, variables, depth);
        variables.length = mark;
        return;
      case "template": {
        if (depth > depthMax) throw executing("exceeded maximum template depth");
        const nodes = this.#template.defined.get(node.name);
        if (nodes === undefined) throw executing(`template "${node.name}" not defined`);
        const value = node.pipeline === undefined ? null : this.#pipeline(node.pipeline, dot, variables);
        this.list(nodes, value, [{ name: "", value }], depth + 1);
        return;
      }
      case "break":
      case "continue":
        throw new Loop(node.at === "break");
    }
  }

  #range(
    node: Extract<GoTemplateNode, { at: "if" | "with" | "range" }>,
    dot: unknown,
    variables: Variables,
    depth: number,
  ): void {
    const { pipeline } = node;
    const value = this.#pipeline({ ...pipeline, variables: [] }, dot, variables);
    const items = rangeItems(value);
    if (items.length === 0) this.list(node.otherwise, dot, variables, depth);
    const mark = variables.length;
    for (const [key, item] of items) {
      const [first, second] = pipeline.variables;
      if (second !== undefined) variables.push({ name: first ?? "", value: key }, { name: second, value: item });
      else if (first !== undefined) variables.push({ name: first, value: item });
      try {
        this.list(node.then, item, variables, depth);
      } catch (error) {
        if (!(error instanceof Loop)) throw error;
        if (error.isBreak) break;
      } finally {
        variables.length = mark;
      }
    }
  }

  #pipeline(pipeline: Pipeline, dot: unknown, variables: Variables): unknown {
    let value: unknown;
    pipeline.commands.forEach((command, at) => {
      value = this.#command(command, dot, variables, at === 0 ? [] : [value]);
    });
    for (const name of pipeline.variables) {
      if (!pipeline.isAssignment) variables.push({ name, value });
      else variableNamed(variables, name).value = value;
    }
    return value;
  }

  #command(
    parts: readonly TemplateExpression[],
    dot: unknown,
    variables: Variables,
    piped: readonly unknown[],
  ): unknown {
    const [head, ...rest] = parts;
    if (head === undefined) return undefined;
    if (head.at === "function") {
      const call = functions.get(head.name);
      if (call === undefined)
        throw new CtlError(`error parsing template: template: output:1: function "${head.name}" not defined`);
      // `and` and `or` stop at the first argument that decides.
      const args = rest.map((part) => () => this.#value(part, dot, variables));
      return call([...args, ...piped.map((value) => () => value)]);
    }
    if (rest.length > 0 || piped.length > 0) throw executing("can't give argument to non-function");
    return this.#value(head, dot, variables);
  }

  #value(expression: TemplateExpression, dot: unknown, variables: Variables): unknown {
    switch (expression.at) {
      case "value":
        return expression.value;
      case "dot":
        return dot;
      case "field":
        return this.#fields(dot, expression.names);
      case "variable":
        return this.#fields(variableNamed(variables, expression.name).value, expression.names);
      case "chain":
        return this.#fields(this.#value(expression.of, dot, variables), expression.names);
      case "pipeline":
        return this.#pipeline(expression.pipeline, dot, variables);
      case "function":
        return this.#command([expression], dot, variables, []);
    }
  }

  #fields(start: unknown, names: readonly string[]): unknown {
    let value = start;
    for (const name of names) {
      if (isJson(value) && Object.hasOwn(value, name)) value = value[name];
      else if (isJson(value) || value === noValue) {
        if (!this.#allowMissing) throw executing(`map has no entry for key "${name}"`, `.${names.join(".")}`);
        value = noValue;
      } else if (value === null || value === undefined)
        throw executing(`nil pointer evaluating interface {}.${name}`, `.${names.join(".")}`);
      else throw executing(`can't evaluate field ${name} in type interface {}`, `.${names.join(".")}`);
    }
    return value;
  }
}

function variableNamed(variables: Variables, name: string): { value: unknown } {
  for (let at = variables.length - 1; at >= 0; at--) {
    const variable = variables[at];
    if (variable?.name === name) return variable;
  }
  throw new CtlError(`error parsing template: template: output:1: undefined variable "$${name}"`);
}

function rangeItems(value: unknown): [unknown, unknown][] {
  if (Array.isArray(value)) return value.map((item, at) => [at, item]);
  if (isJson(value))
    return Object.keys(value)
      .sort()
      .map((key) => [key, value[key]]);
  if (value === null || value === undefined || value === noValue) return [];
  throw executing(`range can't iterate over ${printValue(value)}`);
}

function executing(reason: string, at = ""): TemplateError {
  return new TemplateError(`executing "output"${at === "" ? "" : ` at <${at}>`}: ${reason}`, at);
}
