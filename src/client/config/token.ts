/** Bearer tokens: what may be sent as one, and errors that never show it. */

import { isTokenText } from "../../machinery/client-file/token.ts";
import { ConfigError } from "./file.ts";

/** The token. `source` says where it came from, for the error. */
export function checkedToken(token: string, source: string): string {
  if (isTokenText(token)) return token;
  throw new ConfigError(`${source} is not a token: it contains characters that a token cannot have`);
}
