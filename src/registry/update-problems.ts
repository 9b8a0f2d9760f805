/** What is wrong with an update: its metadata, its values, and the rules of the kind or of the subresource. */

import type { Steps } from "../base/time-slice.ts";
import { validateMetadataUpdate } from "../machinery/meta/metadata.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import { type FieldErrors, noErrors, together } from "../machinery/status/field-error.ts";
import type { Update } from "./update-steps.ts";

/** All validation errors of the change. */
export function* problemsOf(write: Update): Steps<FieldErrors> {
  const { kind, object, old } = write;
  const { strategy, family } = kind;
  const ofMetadata = validateMetadataUpdate(object.metadata, old.metadata, {
    environment: family.environment,
    ...(strategy.name === undefined ? {} : { nameRule: strategy.name }),
    plainFinalizers: strategy.plainFinalizers === true,
  });
  yield;
  const ofValues = kind.hub.codec.check === undefined ? noErrors : yield* kind.hub.codec.check(object);
  yield;
  return together(ofMetadata, ofValues, yield* ownProblems(write));
}

function* ownProblems({
  kind,
  subresource,
  followsRules,
  object,
  old,
  oldRequested,
  emptied,
}: Update): Steps<FieldErrors> {
  if (!followsRules) return noErrors;
  const { strategy, hub } = kind;
  const { environment } = kind.family;
  if (subresource?.validate !== undefined || subresource?.validateInSteps !== undefined) {
    const requested = kind === hub ? object : convertNow(object, hub, kind);
    if (subresource.validateInSteps !== undefined)
      return yield* subresource.validateInSteps(requested, oldRequested, environment);
    return subresource.validate?.(requested, oldRequested, environment) ?? noErrors;
  }
  if (subresource !== undefined && subresource.accepts === undefined) return noErrors;
  if (strategy.validateInSteps !== undefined) return yield* strategy.validateInSteps(object, old, environment);
  if (strategy.validateUpdate !== undefined) return strategy.validateUpdate(object, old, environment, emptied);
  return strategy.validate?.(object, environment) ?? noErrors;
}
