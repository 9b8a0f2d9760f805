/** The value of --request-timeout. */

import { parseDuration } from "../../base/duration.ts";
import { CtlError } from "../errors.ts";

/** The longest time that a timer of Node measures, about 25 days; a longer one would be over at once. */
export const requestTimeoutMsMax = 2 ** 31 - 1;

/** In whole milliseconds, at least one. A number without a unit is seconds; none, 0 and less than 0 mean no limit. */
export function requestTimeoutMs(text: string): number {
  if (text === "") return 0;
  const nanos = parseDuration(/^[0-9]+$/.test(text) ? `${text}s` : text);
  if (nanos !== undefined) return Math.min(Math.max(Math.ceil(Number(nanos) / 1e6), 0), requestTimeoutMsMax);
  throw new CtlError(
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
  );
}
