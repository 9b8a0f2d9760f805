import { describe, expect, it } from "vitest";
import { createPatch, createThreeWayPatch } from "../../src/machinery/patch/create-patch.ts";
import { seededSource } from "../../src/machinery/schema/arbitrary.suite.ts";
import { StatusError } from "../../src/machinery/status/status.ts";
import { differences, seededQuestions } from "./compare.ts";
import { openPartner, whyNoPartners } from "./partner.ts";
import { anyJson, Choice, documentOf, kindNamed, kindsOfLibraries } from "./random-patches.ts";
import { jsonLike, stateLike, withoutRepeats } from "./random-states.ts";

type Json = Record<string, unknown>;

interface Question {
  readonly type: "create-merge" | "create-merge-three-way" | "create-strategic" | "create-strategic-three-way";
  readonly apiVersion?: string;
  readonly kind?: string;
  /** What it was. */
  readonly document: Json;
  /** What it shall be. */
  readonly after: Json;
  /** What others have made of it. */
  readonly current: Json;
}

type States = Omit<Question, "type">;

describe.skipIf(whyNoPartners !== undefined)(`patches as the reference creates them ${whyNoPartners ?? ""}`, () => {
  for (const [type, what] of [
    ["create-merge", "merge patch between two states"],
    ["create-merge-three-way", "merge patch between three states"],
  ] as const)
    it(`creates the same ${what}`, async () => {
      await using partner = openPartner("patches");
      expect(await differences(partner, made(type, statesOfAny), answer)).toEqual([]);
    });

  for (const [type, what] of [
    ["create-strategic", "strategic merge patch between two states"],
    ["create-strategic-three-way", "strategic merge patch between three states"],
  ] as const)
    it(`creates the same ${what}, for every kind`, async () => {
      await using partner = openPartner("patches");
      expect(await differences(partner, made(type, statesOfKind), answer)).toEqual([]);
    });
});

function made(type: Question["type"], statesOf: (choice: Choice) => States): Question[] {
  return seededQuestions((seed) => {
    const made = statesOf(new Choice(seededSource(seed)));
    const states = type === "create-strategic-three-way" ? statesWithoutRepeats(made) : made;
    // Without undefined members, which JSON cannot say.
    return JSON.parse(JSON.stringify({ type, ...states })) as Question;
  }, 10_000);
}

function statesOfAny(choice: Choice): States {
  const any = () => anyJson(choice, 0, false);
  const document = { a: any(), b: any(), c: any() };
  const after = { ...(jsonLike(document, choice) as object), a: jsonLike(document.a, choice) };
  return { document, after, current: { ...(jsonLike(document, choice) as object), b: jsonLike(document.b, choice) } };
}

function statesOfKind(choice: Choice): States {
  const { apiVersion, kind, schema } = choice.pick(kindsOfLibraries);
  const like = (document: unknown) => stateLike(schema, document, choice) as Json; // a struct
  const document = documentOf(schema, choice) as Json;
  const after = like(document);
  return { apiVersion, kind, document, after, current: like(choice.chance(50) ? after : document) };
}

function statesWithoutRepeats({ apiVersion, kind, document, after, current }: States): States {
  const { schema } = kindNamed(`${apiVersion}`, `${kind}`);
  const plain = (state: Json) => withoutRepeats(schema, state) as Json; // still a struct
  return { apiVersion, kind, document: plain(document), after: plain(after), current: plain(current) } as States;
}

function answer({ type, apiVersion, kind, document, after, current }: Question): unknown {
  const schema = kind === undefined ? undefined : kindNamed(`${apiVersion}`, kind).schema;
  try {
    return type.endsWith("three-way")
      ? { result: createThreeWayPatch({ original: document, modified: after, current }, schema) }
      : { result: createPatch(document, after, schema) };
  } catch (problem) {
    if (!(problem instanceof StatusError)) throw problem;
    return { error: true };
  }
}
