/** `completion`: scripts that let a shell complete command lines. */

import { command } from "../command.ts";
import { UsageError } from "../errors.ts";

export const completion = command({
  name: "completion",
  summary: "Output shell completion code for the specified shell (bash, zsh, fish or powershell)",
  usage: "SHELL",
  examples: `source <(ctl completion bash)
ctl completion zsh > "\${fpath[1]}/_ctl"
ctl completion fish | source`,
  async run(context) {
    const [shell, ...others] = context.args;
    if (shell === undefined) throw new UsageError("Shell not specified.");
    if (others.length > 0) throw new UsageError("Too many arguments. Expected only the shell type.");
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) throw new UsageError(`Unsupported shell type "${shell}".`);
    context.print(script.replaceAll("PROGRAM", context.program));
  },
});

const scripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for PROGRAM
__PROGRAM_complete() {
  local IFS=$'\\n'
  local words
  words=$("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  COMPREPLY=($(compgen -W "\${words}" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F __PROGRAM_complete PROGRAM
`,
  zsh: `#compdef PROGRAM
_PROGRAM() {
  local -a found
  found=("\${(@f)$(\${words[1]} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $found
}
compdef _PROGRAM PROGRAM
`,
  fish: `# fish completion for PROGRAM
function __PROGRAM_complete
  set -l words (commandline -opc) (commandline -ct)
  PROGRAM __complete $words[2..-1] 2>/dev/null
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
`,
  powershell: `# PowerShell completion for PROGRAM
Register-ArgumentCompleter -Native -CommandName PROGRAM -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = $commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" }
  if ($wordToComplete -eq '') { $words = @($words) + '' }
  & PROGRAM __complete @words 2>$null | Where-Object { $_ -like "$wordToComplete*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
};
