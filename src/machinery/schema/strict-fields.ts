/** Finds what decoding drops without a word: fields that a schema does not have, and keys that an object has twice. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { atOnceBytesMax, finish, Pace, type Steps } from "../../base/time-slice.ts";
import type { Schema } from "./schema.ts";

/** What is known of a value, whatever its type is. */
export interface StrictMembers {
  /** What is known of a member of an object; undefined: anything may be there; "unknown": the object has no such member. */
  member(name: string): StrictMembers | "unknown" | undefined;
  /** What is known of every item of a list. */
  readonly item: StrictMembers | undefined;
}

/** What a whole object of the kind may have. */
export const knownTo = ({ known, topology }: Described): StrictMembers => known ?? declaredMembers(topology, true);

/** What a codec tells of the members of its kind; `known` undefined: those that the topology declares. */
interface Described {
  readonly known?: StrictMembers | undefined;
  readonly topology: Schema;
}

/** What was made of each schema: every body of a kind asks for the same. */
const [rootMembers, innerMembers] = [new WeakMap<Schema, StrictMembers>(), new WeakMap<Schema, StrictMembers>()];

/** `isRoot`: kind and apiVersion are beside the declared fields. */
export function declaredMembers(schema: Schema, isRoot = false): StrictMembers {
  const made = isRoot ? rootMembers : innerMembers;
  const before = made.get(schema);
  if (before !== undefined) return before;
  const members = makeMembers(schema, isRoot);
  made.set(schema, members);
  return members;
}

function makeMembers(schema: Schema, isRoot: boolean): StrictMembers {
  const under = (inner: Schema | undefined) => inner && declaredMembers(inner);
  return {
    member(name) {
      if (schema.type === "map") return under(schema.values);
      if (schema.type !== "struct") return undefined;
      const field = schema.fields.get(name);
      if (field !== undefined) return under(field.schema);
      return schema.open !== undefined || (isRoot && aside.has(name)) ? undefined : "unknown";
    },
    get item() {
      return schema.type === "list" ? under(schema.items) : undefined;
    },
  };
}

const aside: ReadonlySet<string> = new Set(["kind", "apiVersion"]);

/** More problems than this are not looked for. */
export const strictProblemsMax = 100;

/**
 * The problems of a valid JSON text, in the order of the text: `unknown field "spec.a"`, `duplicate field "data.k"`. `known`
 * undefined: only duplicates are looked for.
 */
export function strictProblems(text: string, known: StrictMembers | undefined): readonly string[] {
  return finish(strictProblemsSteps(text, known));
}

/** The same, in steps: a body may have hundreds of thousands of keys. */
export function* strictProblemsSteps(text: string, known: StrictMembers | undefined): Steps<readonly string[]> {
  if (text.length <= atOnceBytesMax && isFaultless(text, known)) {
    if (checksCaches) checkAnswer("faultless texts", "", finish(readProblems(text, known)).join());
    return noProblems;
  }
  return yield* readProblems(text, known);
}

const noProblems: readonly string[] = [];

function* readProblems(text: string, known: StrictMembers | undefined): Steps<readonly string[]> {
  const reader = new Reader(text);
  yield* reader.value(known, "");
  return reader.problems;
}

/**
 * Whether a short text surely has no problems. Programs send what their language prints, without spaces: where V8 prints the very same text
 * from what it has read, no key was there twice, and the members tell which are unknown. That takes a tenth of the time of reading the text
 * here. False: the text has problems, or was printed in another way.
 */
function isFaultless(text: string, known: StrictMembers | undefined): boolean {
  let value: unknown;
  let printed: string;
  try {
    value = JSON.parse(text);
    printed = JSON.stringify(value);
  } catch {
    return false; // it is YAML, or nests deeper than V8 prints
  }
  // Go ends what it prints with a new line.
  const isSame = text.length === printed.length ? text === printed : text === `${printed}\n`;
  return isSame && hasOnlyKnown(value, known, 0);
}

/** Deeper values are read in steps, not by a function that calls itself. */
const nestingAtOnceMax = 100;

function hasOnlyKnown(value: unknown, known: StrictMembers | undefined, depth: number): boolean {
  if (typeof value !== "object" || value === null || known === undefined) return true;
  if (depth > nestingAtOnceMax) return false;
  if (Array.isArray(value)) {
    const { item } = known;
    return item === undefined || value.every((each) => hasOnlyKnown(each, item, depth + 1));
  }
  for (const name of Object.keys(value)) {
    const member = known.member(name);
    if (member === "unknown") return false;
    if (member !== undefined && !hasOnlyKnown((value as Record<string, unknown>)[name], member, depth + 1))
      return false;
  }
  return true;
}

class Reader {
  readonly problems: string[] = [];
  readonly #text: string;
  readonly #pace = new Pace();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *value(known: StrictMembers | undefined, path: string): Steps<void> {
    if (this.#skipScalar()) return;
    if (this.#text[this.#at] === "{") yield* this.#object(known, path);
    else yield* this.#array(known, path);
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

  *#object(known: StrictMembers | undefined, path: string): Steps<void> {
    const seen = new Set<string>();
    this.#at++;
    for (this.#skipSpace(); this.#text[this.#at] !== "}"; this.#skipSpace()) {
      const name = this.#string();
      this.#skipSpace();
      this.#at++; // the colon
      const place = path === "" ? name : `${path}.${name}`;
      if (seen.has(name)) this.#add(`duplicate field ${JSON.stringify(place)}`);
      const isNew = seen.size < seen.add(name).size;
      const member = known?.member(name);
      if (member === "unknown" && isNew) this.#add(`unknown field ${JSON.stringify(place)}`);
      if (!this.#skipScalar()) yield* this.value(member === "unknown" ? undefined : member, place);
      if (this.#pace.isDue) yield;
      this.#skipSpace();
      if (this.#text[this.#at] === ",") this.#at++;
    }
    this.#at++;
  }

  *#array(known: StrictMembers | undefined, path: string): Steps<void> {
    const item = known?.item;
    this.#at++;
    this.#skipSpace();
    for (let index = 0; this.#text[this.#at] !== "]"; index++) {
      if (!this.#skipScalar()) yield* this.value(item, `${path}[${index}]`);
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
