/** Parts of the YAML of an object that people want to see on request only. The text stays as the server wrote it. */

/** Without `metadata.managedFields`. */
export function withoutManagedFields(yaml: string): string {
  return mapBlock(yaml, "metadata", (block) => {
    const kept: string[] = [];
    let isInside = false;
    for (const line of block) {
      if (/^ {2}managedFields:/.test(line)) isInside = true;
      else if (isInside && /^( {2}-| {3})/.test(line)) continue;
      else {
        isInside = false;
        kept.push(line);
      }
    }
    return kept;
  });
}

export const hidden = "••••••";

/** The values of a secret, and those that an earlier apply has left in an annotation. */
export function withoutSecrets(yaml: string): string {
  const values = (block: readonly string[]) =>
    block.filter((line) => /^ {2}[^ ]/.test(line)).map((line) => `${line.slice(0, keyEnd(line))} ${hidden}`);
  const annotations = (block: readonly string[]) => {
    const shown: string[] = [];
    let isInside = false;
    for (const line of block) {
      if (isInside && /^ {5}/.test(line)) continue;
      isInside = /^ {4}\S*last-applied-configuration:/.test(line);
      shown.push(isInside ? `${line.slice(0, keyEnd(line))} ${hidden}` : line);
    }
    return shown;
  };
  // A server may write all values on one line.
  const blocks = yaml.replaceAll(/^(data|stringData): .*[^ {}].*$/gm, `$1: ${hidden}`);
  return mapBlock(mapBlock(mapBlock(blocks, "data", values), "stringData", values), "metadata", annotations);
}

/** After the colon of the key. */
function keyEnd(line: string): number {
  const match = /^\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^:]*):/.exec(line);
  return match?.[0].length ?? 0;
}

/** Changes the lines of one top-level key, which are those that are indented. */
function mapBlock(yaml: string, key: string, change: (lines: readonly string[]) => readonly string[]): string {
  const lines = yaml.split("\n");
  const start = lines.findIndex((line) => line.trimEnd() === `${key}:`);
  if (start < 0) return yaml;
  let end = start + 1;
  while (end < lines.length && /^( |$)/.test(lines[end] ?? "") && !(lines[end] === "" && end === lines.length - 1))
    end++;
  return [...lines.slice(0, start + 1), ...change(lines.slice(start + 1, end)), ...lines.slice(end)].join("\n");
}

/** The lines that have the word, in any case; none for no word. */
export function linesWith(text: string, word: string): readonly number[] {
  if (word === "") return [];
  const wanted = word.toLowerCase();
  return text.split("\n").flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [at] : []));
}
