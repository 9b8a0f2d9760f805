/** Conversion between versions of a definition: by the webhook that it names, many objects in one call, or without one. */

import { inTimeSlices, type Steps } from "../../base/time-slice.ts";
import { isReply, type WebhookCaller, type WebhookTarget } from "../../base/webhook-caller.ts";
import { decodeJsonAsync, encodeJson } from "../../machinery/json/json.ts";
import { unlessTooLarge } from "../../machinery/json-schema/coerce.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import type { Conversion } from "../../machinery/schema/convert.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { internalFailure } from "../../machinery/status/status.ts";
import type { ConversionReviewVersion, Review } from "./conversion-review.ts";
import { ConversionFailure, checkConverted, encodeReview, readReview } from "./conversion-review.ts";
import { type DefinitionSource, definitionOf } from "./definition.ts";

/** How long a conversion webhook may take for one call. */
export const conversionTimeoutMsMax = 30_000;
/** Objects in one call; a longer list takes several calls. */
export const convertedAtOnceMax = 500;
/** Bytes of JSON in one call; a larger object is sent alone. */
export const convertedAtOnceBytesMax = 1024 * 1024;

const reviewVersions: readonly string[] = ["v1", "v1beta1"] satisfies ConversionReviewVersion[];

export function webhookConversion(family: Family, source: DefinitionSource, caller: WebhookCaller): Conversion {
  const { vocabulary, randomUid } = family.environment;

  const convertBatch = async (batch: readonly ApiObject[], to: BoundKind, signal?: AbortSignal) => {
    const { clientConfig, conversionReviewVersions } = definitionOf(source.entry).spec.conversion?.webhook ?? {};
    const version = conversionReviewVersions?.find((one) => reviewVersions.includes(one));
    if (clientConfig === undefined || version === undefined)
      throw new ConversionFailure("the definition names no webhook that can be called");
    const apiVersion = `${vocabulary.group("apiextensions.orch.io")}/${version}`;
    const review: Review = { uid: randomUid(), apiVersion, isStrict: version === "v1" };
    const answer = await caller.post(targetOf(clientConfig), encodeReview(review, to, batch), {
      timeoutMs: conversionTimeoutMsMax,
      query: `timeout=${conversionTimeoutMsMax / 1_000}s`,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!isReply(answer)) throw new ConversionFailure(`it answered with status ${answer.status}`);
    const converted = readReview(await decodeJsonAsync(answer.bytes), review, batch.length);
    return await inTimeSlices(readConverted(converted, batch, to));
  };

  return {
    isImmediate: false,
    // Stored objects are read with the defaults of their version, so they are stored with them.
    fillStored: (object) => void unlessTooLarge(() => family.stored.codec.applyDefaults(object)),
    async convert(objects, from, to, caller) {
      const made: ApiObject[] = [];
      try {
        for (const batch of batches(objects)) {
          for (const object of await convertBatch(batch, to, caller?.signal)) made.push(object);
        }
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        throw internalFailure(`conversion webhook for ${from.apiVersion}, Kind=${from.kind} failed: ${problem}`, error);
      }
      return made;
    },
  };
}

/** An answer may have hundreds of objects, or a few that are very large. */
function* readConverted(converted: readonly unknown[], batch: readonly ApiObject[], to: BoundKind): Steps<ApiObject[]> {
  const made: ApiObject[] = [];
  for (const [index, original] of batch.entries()) {
    made.push(to.codec.decode(checkConverted(converted[index], original, to)));
    yield;
  }
  return made;
}

type ClientConfig = NonNullable<
  NonNullable<NonNullable<ReturnType<typeof definitionOf>["spec"]["conversion"]>["webhook"]>["clientConfig"]
>;

function targetOf({ url, service, caBundle = "" }: ClientConfig): WebhookTarget {
  const authority = Buffer.from(caBundle, "base64").toString("utf8");
  return { authority, ...(url === undefined ? {} : { url }), ...(service === undefined ? {} : { service }) };
}

/** In order, without empty batches. */
function* batches(objects: readonly ApiObject[]): Generator<readonly ApiObject[]> {
  let batch: ApiObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const size = encodeJson(object).length;
    if (batch.length > 0 && (batch.length >= convertedAtOnceMax || bytes + size > convertedAtOnceBytesMax)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(object);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** By the strategy None: only the apiVersion changes, and fields that the other version does not have are dropped. */
export function noneConversion(family: Family): Conversion {
  return {
    isImmediate: true,
    convert: (objects, _from, to) => objects.map((object) => to.codec.decode(object)),
    // Stored objects are read with the defaults of their version, so they are stored with them.
    fillStored: (object) => void unlessTooLarge(() => family.stored.codec.applyDefaults(object)),
  };
}
