/** The value of --request-timeout. */

import { parseDuration } from "../../base/duration.ts";
import { CtlError } from "../errors.ts";

/** A number without a unit is seconds. */
export function requestTimeoutMs(text: string): number {
  const nanos = parseDuration(/^[0-9]+$/.test(text) ? `${text}s` : text);
  if (nanos !== undefined) return Number(nanos) / 1e6;
  throw new CtlError(
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
  );
}
