/** The request to a conversion webhook, and the rules for its answer: a converter changes the content, not the identity, of objects. */

import { encodeJson } from "../../machinery/json/json.ts";
import { isObject, type JsonObject, sameJson } from "../../machinery/json/json-value.ts";
import { validateAnnotations, validateLabels } from "../../machinery/meta/labels.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";

/** Labels, or annotations, of a converted object: a webhook may send more than any client could. */
export const convertedLabelsMax = 10_000;

export type ConversionReviewVersion = "v1" | "v1beta1";

export interface Review {
  readonly uid: string;
  /** "apiextensions.orch.io/v1". */
  readonly apiVersion: string;
  /** Answers of v1 must repeat the kind and uid of the review; those of v1beta1 need not. */
  readonly isStrict: boolean;
}

/** The answer of a webhook breaks a rule, which the message names. */
export class ConversionFailure extends Error {}

export function encodeReview(
  { uid, apiVersion }: Review,
  to: Pick<BoundKind, "apiVersion">,
  objects: readonly ApiObject[],
): string {
  const request = { uid, desiredAPIVersion: to.apiVersion, objects };
  return encodeJson({ kind: "ConversionReview", apiVersion, request });
}

/** The converted objects, as they are in the answer. Throws ConversionFailure. */
export function readReview(answer: unknown, { uid, apiVersion, isStrict }: Review, count: number): readonly unknown[] {
  if (!isObject(answer)) throw new ConversionFailure("the answer must be a ConversionReview");
  const { response } = answer;
  if (isStrict && (answer["kind"] !== "ConversionReview" || answer["apiVersion"] !== apiVersion))
    throw new ConversionFailure(`the answer must be a ConversionReview of ${apiVersion}`);
  if (!isObject(response)) throw new ConversionFailure("no response was provided");
  if (isStrict && response["uid"] !== uid) throw new ConversionFailure(`response.uid must be ${uid}`);
  const result = isObject(response["result"]) ? response["result"] : {};
  if (result["status"] !== "Success") {
    const { message } = result;
    throw new ConversionFailure(
      typeof message === "string" && message !== "" ? message.slice(0, 1_024) : "response.result.status is not Success",
    );
  }
  const converted = Array.isArray(response["convertedObjects"]) ? response["convertedObjects"] : [];
  if (converted.length !== count)
    throw new ConversionFailure(`${converted.length} objects were returned instead of ${count}`);
  return converted;
}

/**
 * A converted object with the metadata of the original: only labels and annotations may have changed. Throws ConversionFailure
 * if the identity of the object has changed.
 */
export function checkConverted(value: unknown, original: ApiObject, to: BoundKind): JsonObject {
  if (!isObject(value)) throw new ConversionFailure("a converted object must be an object");
  if (value["apiVersion"] !== to.apiVersion)
    throw new ConversionFailure(`a converted object must be of ${to.apiVersion}`);
  if (value["kind"] !== to.kind) throw new ConversionFailure(`a converted object must be of kind ${to.kind}`);
  const { metadata } = value;
  if (!isObject(metadata)) throw new ConversionFailure("a converted object must have metadata");
  for (const field of ["name", "namespace", "uid"] as const) {
    if ((metadata[field] ?? "") !== (original.metadata[field] ?? ""))
      throw new ConversionFailure(`metadata.${field} must not be changed`);
  }
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  return {
    ...value,
    metadata: {
      ...kept,
      ...texts("labels", metadata, original.metadata, validateLabels),
      ...texts("annotations", metadata, original.metadata, validateAnnotations),
    },
  };
}

type Texts = Readonly<Record<string, string>>;

/** Labels or annotations of the converted object, which are checked if they differ from those of the original. */
function texts(
  field: "labels" | "annotations",
  converted: JsonObject,
  original: ObjectMeta,
  check: typeof validateLabels,
): JsonObject {
  const given = converted[field];
  if (given === undefined || given === null) return {};
  const path = `metadata.${field}`;
  if (isObject(given) && Object.keys(given).length > convertedLabelsMax)
    throw new ConversionFailure(`${path} must have at most ${convertedLabelsMax} entries`);
  if (!isObject(given) || Object.values(given).some((value) => typeof value !== "string"))
    throw new ConversionFailure(`${path} must be a map of strings`);
  if (!sameJson(given, original[field] ?? {})) {
    const [problem] = check(given as Texts, path); // all are strings
    if (problem !== undefined) throw new ConversionFailure(`${problem.field}: ${problem.message}`);
  }
  return { [field]: given };
}
