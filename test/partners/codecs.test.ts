import { describe, expect, it } from "vitest";
import { printSorted } from "../../src/machinery/json/go-json.ts";
import { decodeJson, encodeJson } from "../../src/machinery/json/json.ts";
import { arbitraryObject, seededSource } from "../../src/machinery/schema/arbitrary.suite.ts";
import { StatusError } from "../../src/machinery/status/status.ts";
import { differences, seededQuestions } from "./compare.ts";
import { openPartner, type Partner, whyNoPartners } from "./partner.ts";
import { Choice, isGone, kindNamed, kindsOfLibraries } from "./random-patches.ts";

/** The text of an object, since JavaScript's own JSON has no integers of 64 bits. */
type Question = string;

interface Answer {
  readonly error?: boolean;
  /** With sorted members. */
  readonly object?: string;
  readonly protobuf?: string;
}

describe.skipIf(whyNoPartners !== undefined)(`objects as the reference prints them ${whyNoPartners ?? ""}`, () => {
  it("has the same JSON and the same bytes of protobuf, for every kind", async () => {
    await using partner = openPartner("codecs");
    const asked = seededQuestions((seed) => objectOf(new Choice(seededSource(seed)), 0), 5_000);
    expect(await differences(inOurForm(partner), asked, answer)).toEqual([]);
  });

  it("reads and refuses the same values of other types", async () => {
    await using partner = openPartner("codecs");
    const asked = seededQuestions((seed) => objectOf(new Choice(seededSource(seed)), 2), 10_000);
    expect(await differences(inOurForm(partner), asked, answer)).toEqual([]);
  });
});

/** An object of any kind; `wrongMax` of its values, at most, are replaced. */
function objectOf(choice: Choice, wrongMax: number): Question {
  const { apiVersion, kind, schema } = choice.pick(kindsOfLibraries);
  const object = withoutGone({ ...arbitraryObject(schema, choice), apiVersion, kind }) as object;
  for (let left = wrongMax; left > 0; left--) replaceOne(object, choice);
  return encodeJson(withoutNullBytes(object, kind));
}

/** A null among bytes is an entry without a value in the reference's protobuf, and an empty one in ours (docs/differences.md). */
function withoutNullBytes(object: object, kind: string): object {
  const name = kind === "ConfigMap" ? "binaryData" : kind === "Secret" ? "data" : "";
  const bytes = (object as Record<string, unknown>)[name];
  if (typeof bytes !== "object" || bytes === null || Array.isArray(bytes)) return object;
  return { ...object, [name]: Object.fromEntries(Object.entries(bytes).filter(([, value]) => value !== null)) };
}

const isLeftOut = (name: string, member: unknown) => isGone(name) || member === "" || name === "volumeClaimTemplates";

/** Nor empty texts, since a message says of bytes whether they are given, nor the kinds of claim templates, which conversion adds. */
function withoutGone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutGone);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name, member]) => !isLeftOut(name, member));
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutGone(member)]));
}

const others = [
  null,
  0,
  1,
  -1,
  1.5,
  1.0,
  3e9,
  true,
  false,
  "",
  "x",
  "1",
  "1Mi",
  "-1m",
  {},
  [],
  { a: null },
  { a: "b" },
  [null],
  ["x"],
];

/** At a random place below the names of version and kind. */
function replaceOne(object: object, choice: Choice): void {
  const entries = Object.entries(object).filter(([name]) => name !== "apiVersion" && name !== "kind");
  if (entries.length === 0) return;
  const [name, value] = choice.pick(entries);
  if (typeof value === "object" && value !== null && choice.chance(85)) replaceOne(value, choice);
  else (object as Record<string, unknown>)[name] = structuredClone(choice.pick<unknown>(others));
}

function answer(question: Question): Answer {
  const value = decodeJson(Buffer.from(question)) as Record<string, unknown>; // it is of an object
  const { codec } = kindNamed(`${value["apiVersion"]}`, `${value["kind"]}`);
  try {
    const object = codec.decode(value);
    const protobuf = codec.protobuf!.encode(object).toString("base64");
    return { object: shown(object), ...(mayHaveEmptyBytes(question) ? {} : { protobuf }) };
  } catch (problem) {
    if (!(problem instanceof StatusError)) throw problem;
    return { error: true };
  }
}

/** Empty texts and lists may be bytes, of which the reference's protobuf says that they were given (docs/differences.md). */
const mayHaveEmptyBytes = (question: Question) => question.includes(":[]") || question.includes(':""');

/** Answers of the partner in the form of ours. */
const inOurForm = (partner: Partner): Partner => ({
  ...partner,
  ask: async <T>(questions: readonly unknown[]) => {
    const answers = await partner.ask<Answer>(questions);
    return answers.map(({ object, protobuf, error }, index) => {
      if (object === undefined) return { error };
      const isCompared = !mayHaveEmptyBytes(questions[index] as Question);
      return { object: shown(decodeJson(Buffer.from(object))), ...(isCompared ? { protobuf } : {}) };
    }) as T[];
  },
});

const shown = (object: unknown) => printSorted(withoutNothing(object));

/** Some kinds keep empty lists by conversions that the libraries do not have; the types print a creation time that is null. */
function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing);
  if (typeof value !== "object" || value === null) return value;
  const isNothing = (member: unknown) => member === null || (Array.isArray(member) && member.length === 0);
  const entries = Object.entries(value).filter(([, member]) => !isNothing(member));
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNothing(member)]));
}
