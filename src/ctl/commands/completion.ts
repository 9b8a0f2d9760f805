/** `completion`: scripts that let a shell complete command lines. */

import { bool } from "../../base/flags/flag.ts";
import { CompletionError, completionFor } from "../../base/shell-completion.ts";
import { command } from "../command.ts";
import { UsageError } from "../errors.ts";

export const completion = command({
  name: "completion",
  summary: "Output shell completion code for the specified shell (bash, zsh, fish or powershell)",
  usage: "[SHELL]",
  flags: {
    install: bool(
      "Write the code to the file from which the shell loads it; without SHELL, for the one that $SHELL names",
    ),
  },
  examples: `ctl completion --install
source <(ctl completion bash)
ctl completion zsh > "\${fpath[1]}/_ctl"
ctl completion fish | source`,
  async run(context) {
    const [shell, ...others] = context.args;
    if (others.length > 0) throw new UsageError("Too many arguments. Expected only the shell type.");
    try {
      context.print(completionFor(context.program, { shell, isInstalled: context.flags.install }));
    } catch (error) {
      if (error instanceof CompletionError) throw new UsageError(error.message);
      throw error;
    }
  },
});
