/** Checks of Events: those with an eventTime must name the reporting controller, action and reason. */

import { elided, string, struct } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldError, type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { has } from "../../features.ts";
import type { ObjectReference } from "./references.ts";

const eventWordBytesMax = 128;
const eventMessageBytesMax = 1024;

export interface EventParts {
  readonly metadata: ObjectMeta;
  readonly involvedObject: ObjectReference;
  readonly eventTime?: string | null;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
  readonly action?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The text itself is not shown again. */
const short =
  (max: number) =>
  (text: string, path: string): FieldErrors =>
    Buffer.byteLength(text) > max ? [invalid(path, "", `must have at most ${max} bytes`)] : noErrors;

const word = () => elided(string()).required().checked(short(eventWordBytesMax));

/** What an Event says that names the time at which it happened. The group events calls the component a controller. */
const timed = (controller: string) =>
  checker<object>(
    struct("", {
      reportingComponent: string().required().named("qualified").evenEmpty().reported(controller),
      reportingInstance: word(),
      action: word(),
      reason: word(),
      message: elided(string()).checked(short(eventMessageBytesMax)),
    }),
  );
const checkTimed = timed("reportingController");
const checkTimedComponent = timed("reportingComponent");

/** An Event of the core group, which has a name of its own for the controller. */
export const validateCoreEvent = (event: EventParts, environment: Environment): FieldError[] =>
  validateEvent(event, environment, has(environment, "reportingComponents") ? checkTimedComponent : checkTimed);

export function validateEvent(event: EventParts, environment: Environment, check = checkTimed): FieldError[] {
  const own = event.metadata.namespace ?? "";
  const namespace = event.involvedObject.namespace ?? "";
  const mismatch = [invalid("involvedObject.namespace", namespace, "does not match event.namespace")];
  if (!event.eventTime) {
    // Events of objects without a namespace live in the default one.
    return namespace === own || (namespace === "" && own === "default") ? [] : mismatch;
  }
  const homes = ["default", environment.vocabulary.word("orch-system")];
  return [...(namespace === "" && !homes.includes(own) ? mismatch : []), ...check(event, "", environment)];
}
