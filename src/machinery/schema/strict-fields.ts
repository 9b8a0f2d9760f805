/** Finds what decoding drops without a word: fields that a schema does not have, and keys that an object has twice. */

import { finish, Pace, type Steps } from "../../base/time-slice.ts";
import type { Schema } from "./schema.ts";

/** More problems than this are not looked for. */
export const strictProblemsMax = 100;

/**
 * The problems of a valid JSON text, in the order of the text: `unknown field "spec.a"`, `duplicate field "data.k"`. `schema`
 * undefined: only duplicates are looked for.
 */
export function strictProblems(text: string, schema: Schema | undefined): readonly string[] {
  return finish(strictProblemsSteps(text, schema));
}

/** The same, in steps: a body may have hundreds of thousands of keys. */
export function* strictProblemsSteps(text: string, schema: Schema | undefined): Steps<readonly string[]> {
  const reader = new Reader(text);
  yield* reader.value(schema, "");
  return reader.problems;
}

/** Kind and apiVersion are beside the declared fields of an object. */
const aside: ReadonlySet<string> = new Set(["kind", "apiVersion"]);

class Reader {
  readonly problems: string[] = [];
  readonly #text: string;
  readonly #pace = new Pace();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *value(schema: Schema | undefined, path: string): Steps<void> {
    if (this.#skipScalar()) return;
    if (this.#text[this.#at] === "{") yield* this.#object(schema, path);
    else yield* this.#array(schema, path);
  }

  /** Whether the next value is one. Most values are, and need no generator. */
  #skipScalar(): boolean {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === "{" || first === "[") return false;
    if (first === '"') this.#string();
    else while (this.#at < this.#text.length && !",]} \t\r\n".includes(this.#text[this.#at] as string)) this.#at++;
    return true;
  }

  *#object(schema: Schema | undefined, path: string): Steps<void> {
    const seen = new Set<string>();
    this.#at++;
    for (this.#skipSpace(); this.#text[this.#at] !== "}"; this.#skipSpace()) {
      const name = this.#string();
      this.#skipSpace();
      this.#at++; // the colon
      const place = path === "" ? name : `${path}.${name}`;
      if (seen.has(name)) this.#add(`duplicate field ${JSON.stringify(place)}`);
      const isNew = seen.size < seen.add(name).size;
      const member = this.#member(schema, name, path, isNew ? place : undefined);
      if (!this.#skipScalar()) yield* this.value(member, place);
      if (this.#pace.isDue) yield;
      this.#skipSpace();
      if (this.#text[this.#at] === ",") this.#at++;
    }
    this.#at++;
  }

  /** The schema of a member; undefined: nothing is known about it. */
  #member(schema: Schema | undefined, name: string, path: string, place: string | undefined): Schema | undefined {
    if (schema?.type === "map") return schema.values;
    if (schema?.type !== "struct") return undefined;
    const field = schema.fields.get(name);
    if (field !== undefined) return field.schema;
    const isKnown = schema.open !== undefined || (path === "" && aside.has(name));
    if (!isKnown && place !== undefined) this.#add(`unknown field ${JSON.stringify(place)}`);
    return undefined;
  }

  *#array(schema: Schema | undefined, path: string): Steps<void> {
    const items = schema?.type === "list" ? schema.items : undefined;
    this.#at++;
    this.#skipSpace();
    for (let index = 0; this.#text[this.#at] !== "]"; index++) {
      if (!this.#skipScalar()) yield* this.value(items, `${path}[${index}]`);
      if (this.#pace.isDue) yield;
      this.#skipSpace();
      if (this.#text[this.#at] === ",") this.#at++;
      this.#skipSpace();
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at;
    this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at++;
    const text = this.#text.slice(start, this.#at);
    return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  #skipSpace(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #add(problem: string): void {
    if (this.problems.length < strictProblemsMax) this.problems.push(problem);
  }
}
