/** Words that cannot name variables and functions, but may name fields. */

export const reservedWords: ReadonlySet<string> = new Set([
  "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace",
  "return", "var", "void", "while",
]); // biome-ignore format: one line is easier to read
