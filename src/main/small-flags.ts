/** The flags of `orch run`, `orch status` and `orch stop`. */

import { choice, text } from "./flags/flag.ts";

export const runFlags = {
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks", "orch"),
  authorization: choice(["AlwaysAllow", "RBAC"], "who may do what", "AlwaysAllow"),
};

export const folderFlags = { "data-dir": text("the folder of the server", ".orch") };
