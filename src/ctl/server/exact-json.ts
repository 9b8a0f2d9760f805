/** JSON whose numbers stay exact, even those that a double cannot represent. */

import type { JsonCodec } from "../../client/requests/send.ts";
import { decodeStoredText, encodeJson } from "../../machinery/json/json.ts";

export const exactJson: JsonCodec = {
  /** An empty answer, such as that of a proxied request, has no members. */
  parse: (text) => (text === "" ? {} : decodeStoredText(text)),
  stringify: encodeJson,
};
