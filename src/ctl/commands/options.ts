/** `options`: the flags that all commands have. */

import type { Command } from "../command.ts";
import { globalFlags } from "../flags/declared.ts";
import { describeFlags } from "../help.ts";

export const options: Command = {
  name: "options",
  summary: "Print the list of flags inherited by all commands",
  usage: "",
  examples: "ctl options",
  async run(context) {
    const shown = globalFlags.filter(({ isHidden }) => isHidden !== true);
    context.print(`The following options can be passed to any command:\n\n${describeFlags(shown, context.program)}\n`);
  },
};
