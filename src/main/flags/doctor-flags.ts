/** The flags of `orch doctor`: those of the server that is examined, and how to print. */

import { choice } from "../../base/flags/flag.ts";
import { apiserverFlags } from "./apiserver-flags.ts";

export const doctorFlags = {
  output: choice(["text", "json"], "how to print the findings", "text", { short: "o" }),
  ...apiserverFlags,
};
