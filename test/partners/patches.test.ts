import { describe, expect, it } from "vitest";
import { applyJsonPatch } from "../../src/machinery/patch/json-patch.ts";
import { applyMergePatch } from "../../src/machinery/patch/merge-patch.ts";
import { seededSource } from "../../src/machinery/schema/arbitrary.suite.ts";
import type { ApiObject } from "../../src/machinery/schema/kind.ts";
import { StatusError } from "../../src/machinery/status/status.ts";
import { differences, seededQuestions } from "./compare.ts";
import { openPartner, whyNoPartners } from "./partner.ts";
import { anyJson, Choice, documentOf, kindNamed, kindsOfLibraries, strategicPatchOf } from "./random-patches.ts";

interface Question {
  readonly type: "json" | "merge" | "strategic";
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly document: Record<string, unknown>;
  readonly patch: unknown;
}

const made = (make: (choice: Choice) => Question, count: number): Question[] =>
  seededQuestions((seed) => plain(make(new Choice(seededSource(seed)))), count);
/** Without undefined members, which JSON cannot say. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const documentOfAny = (choice: Choice, hasNullItems: boolean) => ({
  a: anyJson(choice, 0, hasNullItems),
  b: anyJson(choice, 0, hasNullItems),
  c: anyJson(choice, 1, hasNullItems),
});

describe.skipIf(whyNoPartners !== undefined)(`patches as the reference applies them ${whyNoPartners ?? ""}`, () => {
  it("makes the same of a JSON patch", async () => {
    await using partner = openPartner("patches");
    expect(await differences(partner, made(jsonPatch, 10_000), answer)).toEqual([]);
  });

  it("makes the same of a merge patch", async () => {
    await using partner = openPartner("patches");
    expect(await differences(partner, made(mergePatch, 10_000), answer)).toEqual([]);
  });

  it("makes the same of a strategic merge patch, for every kind", async () => {
    await using partner = openPartner("patches");
    expect(await differences(partner, made(strategicPatch, 10_000), answer)).toEqual([]);
  });
});

function answer({ type, apiVersion, kind, document, patch }: Question): unknown {
  try {
    if (type === "json") return { result: applyJsonPatch(document, patch, { takesWhole: true }) };
    if (type === "merge") return { result: applyMergePatch(document, patch, { keepsNullItems: true }) };
    const { codec } = kindNamed(`${apiVersion}`, `${kind}`);
    return { result: codec.mergeStrategically?.(document as ApiObject, patch) };
  } catch (problem) {
    if (!(problem instanceof StatusError)) throw problem;
    return { error: true };
  }
}

function strategicPatch(choice: Choice): Question {
  const { apiVersion, kind, schema } = choice.pick(kindsOfLibraries);
  const document = documentOf(schema, choice) as Record<string, unknown>; // a struct
  return { type: "strategic", apiVersion, kind, document, patch: strategicPatchOf(schema, document, choice) };
}

function mergePatch(choice: Choice): Question {
  const patch = choice.chance(90) ? documentOfAny(choice, true) : anyJson(choice);
  return { type: "merge", document: documentOfAny(choice, true), patch };
}

function jsonPatch(choice: Choice): Question {
  const { chance, pick, below } = choice;
  const document = documentOfAny(choice, false);
  const paths = ["", ...pathsIn(document, "")];
  const odd = ["/a", "/-", "/0", "/1", "/-1", "/x/y", "/", "/~2", "/01", "/+1", "/99", "/~0x", "/d~1e"];
  const path = () => pick(paths) + (chance(75) ? "" : pick(odd));
  const operation = () => {
    const op = pick(["add", "add", "remove", "replace", "move", "copy", "test", "test", "explode"]);
    const change = { op, path: path(), value: anyJson(choice, 1, false), from: path() };
    // A value that was null or is not given makes the reference panic in some tests.
    if (change.value === null && (op === "test" || op === "replace")) change.value = 1;
    return change;
  };
  return { type: "json", document, patch: Array.from({ length: 1 + below(3) }, operation) };
}

function pathsIn(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const inside = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return [inside, ...pathsIn(member, inside)];
  });
}
