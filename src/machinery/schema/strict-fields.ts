/** Finds what decoding drops without a word: fields that a schema does not have, and keys that an object has twice. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { finish, Pace, type Steps } from "../../base/time-slice.ts";
import { encodeJson, type ReadJson } from "../json/json.ts";
import { isSmall } from "../json/parts.ts";
import type { Schema, StructSchema } from "./schema.ts";

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
  switch (schema.type) {
    case "struct":
      return structMembers(schema, isRoot);
    case "map":
      return { member: () => declaredMembers(schema.values), item: undefined };
    case "list":
      return {
        member: () => undefined,
        get item() {
          return declaredMembers(schema.items);
        },
      };
    default:
      return { member: () => undefined, item: undefined };
  }
}

function structMembers({ fields, open }: StructSchema, isRoot: boolean): StrictMembers {
  /** Those that have been asked for: a struct may contain itself. */
  const made = new Map<string, StrictMembers>();
  return {
    member(name) {
      const known = made.get(name);
      if (known !== undefined) return known;
      const field = fields.get(name);
      if (field === undefined) return open !== undefined || (isRoot && aside.has(name)) ? undefined : "unknown";
      const members = declaredMembers(field.schema);
      made.set(name, members);
      return members;
    },
    item: undefined,
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
  const reader = new Reader(text);
  yield* reader.value(known, "");
  return reader.problems;
}

/**
 * Whether a text surely has no problems, told by what was read from it: of a member that is there twice one was read, so the value has fewer
 * members than the text. That takes a tenth of the time of looking through the text. False: it has problems, or nests deep.
 */
export function isFaultless(
  { value, members }: ReadJson,
  known: StrictMembers | undefined,
  text: () => string,
): boolean {
  if (countMembers(value, known, 0) !== members) return false;
  if (checksCaches) checkAnswer("faultless texts", "", strictProblems(text(), known).join());
  return true;
}

const noProblems: readonly string[] = [];

/** The problems of a value that was not read from a text: members that are not known. */
export function* unknownMembersSteps(value: unknown, known: StrictMembers): Steps<readonly string[]> {
  const isKnown = isSmall(value) && !Number.isNaN(countMembers(value, known, 0));
  if (!isKnown) return yield* strictProblemsSteps(encodeJson(value), known);
  if (checksCaches) checkAnswer("known members", "", strictProblems(encodeJson(value), known).join());
  return noProblems;
}

/** Deeper values are read in steps, not by a function that calls itself. */
const nestingAtOnceMax = 100;

/** How many members the objects of a value have. NaN: one of them is not known, or it is not known whether. */
function countMembers(value: unknown, known: StrictMembers | undefined, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > nestingAtOnceMax) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    const item = known?.item;
    for (let at = 0; at < value.length; at++) count += countMembers(value[at], item, depth + 1);
    return count;
  }
  for (const name in value) {
    const member = known?.member(name);
    if (member === "unknown") return Number.NaN;
    count += 1 + countMembers((value as Record<string, unknown>)[name], member, depth + 1); // one of its names
  }
  return count;
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
