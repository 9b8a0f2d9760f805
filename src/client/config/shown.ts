/** What errors repeat of a text that a caller has given as a path or an address: never what may be a secret. */

/** Longer texts are not repeated: they may be the content of a file. */
export const shownCharsMax = 256;

export function shown(text: string): string {
  return text.length > shownCharsMax || /[\r\n{]|-----|:\/\/[^/]*@/.test(text)
    ? "(not shown, because it may contain a secret)"
    : text;
}

/** Whether a text is what a file contains, and not the path of the file. */
export const isPem = (text: string): boolean => text.includes("-----BEGIN ");

/** The same of a client configuration, in YAML or JSON: paths have one line and no members. */
export const isConfigText = (text: string): boolean => /^\s*\{|[\r\n]|:\s/.test(text);
