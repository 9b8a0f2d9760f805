/** JSON whose numbers stay exact, even those that a double cannot represent. */

import { decodeStoredText, encodeJson } from "../../machinery/json/json.ts";
import type { JsonCodec } from "./send.ts";

export const exactJson: JsonCodec = { parse: decodeStoredText, stringify: encodeJson };

/** An empty answer, such as that of a proxied request, has no members. */
export const lenientJson: JsonCodec = {
  parse: (text) => (text === "" ? {} : decodeStoredText(text)),
  stringify: encodeJson,
};
