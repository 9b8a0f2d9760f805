/** Checks of Events: those with an eventTime must name the reporting controller, action and reason. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
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

export function validateEvent(event: EventParts, { vocabulary }: Environment): FieldError[] {
  const own = event.metadata.namespace ?? "";
  const namespace = event.involvedObject.namespace ?? "";
  const mismatch = [invalid("involvedObject.namespace", namespace, "does not match event.namespace")];
  if (!event.eventTime) {
    // Events of objects without a namespace live in the default one.
    return namespace === own || (namespace === "" && own === "default") ? [] : mismatch;
  }
  const homes = ["default", vocabulary.word("orch-system")];
  return [
    ...(namespace === "" && !homes.includes(own) ? mismatch : []),
    ...(event.reportingComponent === "" ? [required("reportingController")] : []),
    ...isQualifiedName(event.reportingComponent).map((problem) =>
      invalid("reportingController", event.reportingComponent, problem),
    ),
    ...validateWord(event.reportingInstance, "reportingInstance"),
    ...validateWord(event.action ?? "", "action"),
    ...validateWord(event.reason ?? "", "reason"),
    ...(Buffer.byteLength(event.message ?? "") > eventMessageBytesMax
      ? [invalid("message", "", `must have at most ${eventMessageBytesMax} bytes`)]
      : []),
  ];
}

function validateWord(text: string, path: string): FieldError[] {
  if (text === "") return [required(path)];
  if (Buffer.byteLength(text) <= eventWordBytesMax) return [];
  return [invalid(path, "", `must have at most ${eventWordBytesMax} bytes`)];
}
