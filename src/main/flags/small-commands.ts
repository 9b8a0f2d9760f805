/** The flags of the small commands: `orch user`, `orch run`, `orch status` and `orch stop`. */

import { choice, duration, string, strings } from "../../base/flags/flag.ts";
import { levelDefault, levels } from "../../machinery/schema/level.ts";

export const folderFlags = { "data-dir": string("the folder of the server", ".orch") };

export const userFlags = {
  ...folderFlags,
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks; default: those of the folder", "orch"),
  server: string("where the person finds the server; default: as in admin.conf of the folder"),
  out: string("the file to write, readable by its owner only; default: standard output"),
  group: strings("groups that the person belongs to"),
  life: duration("how long the certificate is valid", 24 * 3_600_000),
};

export const runFlags = {
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks", "orch"),
  "emulated-version": choice(levels, "the release whose API is served", levelDefault),
  authorization: choice(["AlwaysAllow", "RBAC"], "how requests are authorized", "AlwaysAllow"),
};
