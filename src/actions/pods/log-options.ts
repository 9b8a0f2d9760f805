/** The options of a pod's log from the query: how much, and since when. */

import { type FieldError, forbidden, invalid } from "../../machinery/status/field-error.ts";
import { badRequest, invalidObject } from "../../machinery/status/status.ts";
import { parseInt64 } from "../../machinery/values/integer.ts";
import { parseTime } from "../../machinery/values/time.ts";

/** Throws an error: first for a query that cannot be parsed, then for invalid numbers. */
export function checkLogOptions(podName: string, parameter: (name: string) => string | undefined): void {
  const number = (name: string) => readNumber(name, parameter(name));
  const tailLines = number("tailLines");
  const limitBytes = number("limitBytes");
  const sinceSeconds = number("sinceSeconds");
  const since = parameter("sinceTime");
  if (since !== undefined && since !== "" && since !== "null" && parseTime(since) === undefined) {
    throw badRequest("sinceTime must be a time such as 2021-06-01T00:00:00Z");
  }
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0n) {
    errors.push(invalid("tailLines", tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1n) {
    errors.push(invalid("limitBytes", limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && since !== undefined) {
    errors.push(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1n) {
    errors.push(invalid("sinceSeconds", sinceSeconds, "must be greater than 0"));
  }
  if (errors.length > 0) throw invalidObject({ group: "", kind: "PodLogOptions" }, podName, errors);
}

/** Undefined: the query does not have the option. */
function readNumber(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const value = parseInt64(text);
  if (value === undefined) throw badRequest(`${name} must be a whole number`);
  return value;
}

/** The options that an agent gets. */
export const logParameters = [
  "follow",
  "previous",
  "sinceSeconds",
  "sinceTime",
  "timestamps",
  "tailLines",
  "limitBytes",
  "stream",
] as const;
