/** Code that lets a shell complete the command lines of a program, by asking the program: `PROGRAM __complete WORDS…`. */

import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

export const completionShells = ["bash", "zsh", "fish", "powershell"] as const;

/** The shell is not supported, or has no folder for completions. */
export class CompletionError extends Error {}

/** The code, or what is left to do after it was written to the file from which the shell loads it. Without a shell, it is installed for that of the user. */
export function completionFor(
  program: string,
  { shell: given, isInstalled }: { readonly shell: string | undefined; readonly isInstalled: boolean },
): string {
  const shell = given ?? (isInstalled ? basename(process.env["SHELL"] ?? "") || undefined : undefined);
  if (shell === undefined) throw new CompletionError("Shell not specified.");
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) throw new CompletionError(`Unsupported shell type "${shell}".`);
  const text = script.replaceAll("PROGRAM", program);
  return isInstalled ? install(shell, program, text) : text;
}

/** Writes the code where the shell looks for it, and says what is left to do. */
function install(shell: string, program: string, text: string): string {
  const environment = process.env;
  const data = environment["XDG_DATA_HOME"] || join(homedir(), ".local/share");
  const settings = environment["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  const places: Readonly<Record<string, { readonly file: string; readonly next: string }>> = {
    bash: {
      file: join(data, "bash-completion/completions", program),
      next: "start a new shell; it needs the package bash-completion",
    },
    zsh: {
      file: join(data, "zsh/site-functions", `_${program}`),
      next: `add to ~/.zshrc, unless it is there: fpath+=(${join(data, "zsh/site-functions")}); autoload -U compinit; compinit`,
    },
    fish: { file: join(settings, "fish/completions", `${program}.fish`), next: "start a new shell" },
  };
  const place = places[shell];
  if (place === undefined)
    throw new CompletionError(
      `${shell} has no folder for completions; add the output of this command without --install to its profile.`,
    );
  mkdirSync(dirname(place.file), { recursive: true });
  writeFileSync(place.file, text);
  return `${place.file} is written; ${place.next}\n`;
}

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
