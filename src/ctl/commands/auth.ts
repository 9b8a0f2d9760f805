/** `auth`: what the caller may do, who may do something, and reconciling roles with files. */

import { command } from "../command.ts";
import { canI } from "./auth/can-i.ts";
import { reconcile } from "./auth/reconcile.ts";
import { whoCan } from "./auth/who-can.ts";
import { whoAmI } from "./auth/whoami.ts";

export const auth = command({
  name: "auth",
  summary: "Inspect authorization",
  usage: "SUBCOMMAND",
  examples: `ctl auth can-i list pods
ctl auth who-can delete pods`,
  subcommands: [canI, reconcile, whoCan, whoAmI],
});
