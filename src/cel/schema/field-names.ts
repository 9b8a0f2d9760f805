/** Names of properties as expressions write them: `a.b-c` is `a__dot__b__dash__c`, `namespace` is `__namespace__`. */

/** Words that are part of the language wherever they stand. */
const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);
/** Words that may be fields after a dot as well. */
const reserved: ReadonlySet<string> = new Set([
  "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace",
  "return", "var", "void", "while",
]); // biome-ignore format: one line is easier to read

const escapes: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** All names under which expressions select a property; none if it has a character that cannot be written. */
export function fieldNames(property: string): readonly string[] {
  if (keywords.has(property)) return [`__${property}__`];
  if (reserved.has(property)) return [`__${property}__`, property];
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return [];
  return [property.replace(/__|[./-]/g, (part) => escapes.get(part) ?? part)];
}
