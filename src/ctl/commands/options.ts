/** `options`: the flags that all commands have; `alpha`: an empty group of commands, for scripts that call it. */

import { command } from "../command.ts";
import { globalFlags } from "../flags/declared.ts";
import { describeFlags } from "../help.ts";

export const options = command({
  name: "options",
  summary: "Print the list of flags inherited by all commands",
  usage: "",
  examples: "ctl options",
  async run(context) {
    context.print(
      `The following options can be passed to any command:\n\n${describeFlags(globalFlags, context.program)}\n`,
    );
  },
});

export const alpha = command({
  name: "alpha",
  summary: "Commands for features in alpha",
  usage: "",
  examples: "ctl alpha",
  async run(context) {
    context.print(
      `These commands correspond to alpha features that are not enabled in Kubernetes clusters by default.\n\nUse "${context.program} <command> --help" for more information about a given command.\n`,
    );
  },
});
