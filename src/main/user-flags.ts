/** The flags of `orch user`. */

import { choice, duration, strings, text } from "./flags/flag.ts";

export const userFlags = {
  "data-dir": text("the folder of the server", ".orch"),
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks", "orch"),
  server: text("where the person finds the server", "https://127.0.0.1:6443"),
  group: strings("groups that the person belongs to"),
  life: duration("how long the certificate is good", 24 * 3_600_000),
};
