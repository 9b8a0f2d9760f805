/** The flags of `orch user`. */

import { choice, duration, strings, text } from "./flags/flag.ts";

export const userFlags = {
  "data-dir": text("the folder of the server", ".orch"),
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks; default: those of the folder", "orch"),
  server: text("where the person finds the server; default: as in admin.conf of the folder"),
  out: text("the file to write, readable by its owner only; default: standard output"),
  group: strings("groups that the person belongs to"),
  life: duration("how long the certificate is good", 24 * 3_600_000),
};
