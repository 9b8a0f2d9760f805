import { describe, expect, test } from "vitest";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { ConversionFailure, checkConverted, convertedLabelsMax, type Review, readReview } from "./conversion-review.ts";

const review: Review = { uid: "u", apiVersion: "apiextensions.orch.io/v1", isStrict: true };
const lax: Review = { ...review, apiVersion: "apiextensions.orch.io/v1beta1", isStrict: false };
const answer = { kind: "ConversionReview", apiVersion: review.apiVersion };
const response = { uid: "u", result: { status: "Success" }, convertedObjects: [{}] };

describe("an answer", () => {
  const cases: { why: string; value: unknown; problem: string }[] = [
    { why: "must be an object", value: "hello", problem: "must be a ConversionReview" },
    { why: "must be a review", value: { ...answer, kind: "Review", response }, problem: "must be a ConversionReview" },
    {
      why: "must have the version of the request",
      value: { ...answer, apiVersion: lax.apiVersion, response },
      problem: "v1",
    },
    { why: "must have a response", value: answer, problem: "no response" },
    {
      why: "must repeat the uid of the review",
      value: { ...answer, response: { ...response, uid: "x" } },
      problem: "uid",
    },
    {
      why: "must report success",
      value: { ...answer, response: { ...response, result: { status: "Failure", message: "no way" } } },
      problem: "no way",
    },
    {
      why: "must have a result",
      value: { ...answer, response: { ...response, result: undefined } },
      problem: "Success",
    },
    {
      why: "must have as many objects as the request",
      value: { ...answer, response: { ...response, convertedObjects: [{}, {}] } },
      problem: "2 objects were returned instead of 1",
    },
  ];
  for (const { why, value, problem } of cases)
    test(why, () => {
      expect(() => readReview(value, review, 1)).toThrow(ConversionFailure);
      expect(() => readReview(value, review, 1)).toThrow(problem);
    });

  test("need not repeat kind and uid in v1beta1", () => {
    const { uid: _uid, ...rest } = response;
    expect(readReview({ response: rest }, lax, 1)).toEqual([{}]);
  });
});

describe("a converted object", () => {
  const to = { apiVersion: "example.com/v2", kind: "Widget" } as BoundKind; // nothing else of it is used
  const metadata = { name: "a", namespace: "n", uid: "1", generation: 3, labels: { l: "m" }, finalizers: ["x/y"] };
  const original: ApiObject = { apiVersion: "example.com/v1", kind: "Widget", metadata };
  const converted = { apiVersion: to.apiVersion, kind: "Widget", metadata, spec: { new: 1 } };

  test("keeps its original metadata, except for labels and annotations", () => {
    const changed = { ...metadata, labels: { x: "y" }, annotations: { n: "o" }, generation: 99, finalizers: [] };
    expect(checkConverted({ ...converted, metadata: changed }, original, to)).toEqual({
      ...converted,
      metadata: { ...metadata, labels: { x: "y" }, annotations: { n: "o" } },
    });
    const { labels: _labels, ...rest } = metadata;
    expect(checkConverted({ ...converted, metadata: rest }, original, to)["metadata"]).toEqual(rest);
  });

  const many = Object.fromEntries(Array.from({ length: convertedLabelsMax + 1 }, (_, at) => [`l${at}`, "v"]));
  const lies: { why: string; value: unknown }[] = [
    { why: "no object", value: [] },
    { why: "another version", value: { ...converted, apiVersion: "example.com/v9" } },
    { why: "another kind", value: { ...converted, kind: "Gadget" } },
    { why: "no metadata", value: { ...converted, metadata: undefined } },
    { why: "another name", value: { ...converted, metadata: { ...metadata, name: "b" } } },
    { why: "another namespace", value: { ...converted, metadata: { ...metadata, namespace: "other" } } },
    { why: "another uid", value: { ...converted, metadata: { ...metadata, uid: "2" } } },
    { why: "labels that are not strings", value: { ...converted, metadata: { ...metadata, labels: { a: 1 } } } },
    { why: "labels that are not valid", value: { ...converted, metadata: { ...metadata, labels: { "a b": "c" } } } },
    { why: "more labels than an object may get", value: { ...converted, metadata: { ...metadata, labels: many } } },
    { why: "annotations that are a list", value: { ...converted, metadata: { ...metadata, annotations: [] } } },
  ];
  for (const { why, value } of lies)
    test(`is refused with ${why}`, () => expect(() => checkConverted(value, original, to)).toThrow(ConversionFailure));

  test("may keep labels that are not valid, if it had them before", () => {
    const odd: ApiObject = { ...original, metadata: { ...metadata, labels: { "a b": "c" } } };
    expect(checkConverted({ ...converted, metadata: odd.metadata }, odd, to)["metadata"]).toEqual(odd.metadata);
  });
});
