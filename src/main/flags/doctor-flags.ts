/** The flags of `orch doctor`: those of the server that is examined, and how to print. */

import { apiserverFlags } from "./apiserver-flags.ts";
import { choice } from "./flag.ts";

export const doctorFlags = {
  output: choice(["text", "json"], "how to print the findings", "text", { aliases: ["o"] }),
  ...apiserverFlags,
};
