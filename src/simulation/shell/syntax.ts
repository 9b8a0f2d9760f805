/** A script as the parser reads it. */

export type WordPart =
  | { readonly at: "text"; readonly text: string; readonly quoted: boolean }
  | {
      readonly at: "variable";
      readonly name: string;
      readonly quoted: boolean;
      /** ":-", "#", "%%" and so on; "length" for ${#NAME}. */
      readonly operator?: string;
      readonly argument?: Word;
    }
  | { readonly at: "command"; readonly list: CommandList; readonly quoted: boolean }
  | { readonly at: "arithmetic"; readonly expression: Word; readonly quoted: boolean };

export type Word = readonly WordPart[];

export interface Redirect {
  readonly fd: number;
  /** ">&": to where another descriptor writes; "<<": the target is the input itself. */
  readonly operator: ">" | ">>" | "<" | ">&" | "<<";
  readonly target: Word;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

interface Redirected {
  readonly redirects: readonly Redirect[];
}

export type SimpleCommand = Redirected & {
  readonly at: "simple";
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
};

export type ShellCommand =
  | SimpleCommand
  | (Redirected & {
      readonly at: "if";
      readonly branches: readonly { readonly condition: CommandList; readonly body: CommandList }[];
      readonly otherwise: CommandList | undefined;
    })
  | (Redirected & {
      readonly at: "while";
      readonly isUntil: boolean;
      readonly condition: CommandList;
      readonly body: CommandList;
    })
  /** `words` undefined: the arguments of the script. */
  | (Redirected & {
      readonly at: "for";
      readonly name: string;
      readonly words: readonly Word[] | undefined;
      readonly body: CommandList;
    })
  | (Redirected & {
      readonly at: "case";
      readonly word: Word;
      readonly branches: readonly { readonly patterns: readonly Word[]; readonly body: CommandList }[];
    })
  | (Redirected & { readonly at: "group" | "subshell"; readonly body: CommandList })
  | (Redirected & { readonly at: "function"; readonly name: string; readonly body: ShellCommand });

export interface CommandPipeline {
  readonly isNegated: boolean;
  readonly commands: readonly ShellCommand[];
}

export interface AndOr {
  readonly first: CommandPipeline;
  readonly rest: readonly { readonly operator: "&&" | "||"; readonly pipeline: CommandPipeline }[];
}

export interface CommandList {
  readonly items: readonly { readonly andOr: AndOr; readonly isBackground: boolean }[];
}

/** The text of a word that is always the same; undefined: it has to be expanded. */
export function literalOf(word: Word): string | undefined {
  let text = "";
  for (const part of word) {
    if (part.at !== "text") return undefined;
    text += part.text;
  }
  return text;
}
