/** Finds the line of a field in the text of a manifest, by its keys and their indentation. */

export type FieldPath = readonly (string | number)[];

/** "spec.containers[0].image" and "metadata.labels[a.b/c]" as their parts. */
export function parseFieldPath(field: string): FieldPath {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, key, name]) =>
    key === undefined ? (name ?? "") : /^\d+$/.test(key) ? Number(key) : key,
  );
}

/**
 * The line of a field, from 0. Fields that have no line of their own, because they are missing or in flow style, are on
 * that of the nearest field around them.
 *
 *     0  spec:
 *     1    containers:
 *     2    - name: c         spec.containers[0].name is on line 2
 *     3      image: ""       spec.containers[0].image on line 3, spec.containers[0].ports on line 2
 */
export function lineOfField(text: string, path: FieldPath): number {
  const lines = text.split("\n").map(readLine);
  const start = lines.findIndex(isContent);
  let block: Block = { line: Math.max(0, start), first: Math.max(0, start), end: lines.length };
  for (const part of path) {
    const inner = typeof part === "number" ? itemOf(lines, block, part) : memberOf(lines, block, part);
    if (inner === undefined) return block.line;
    block = inner;
  }
  return block.line;
}

interface Line {
  /** The column of each "- " at the start of the line, and of what follows them. */
  readonly columns: readonly number[];
  readonly key: string | undefined;
  readonly isEmpty: boolean;
  /** A bracket of JSON alone: what it encloses is on the next lines. */
  readonly isOpening?: boolean;
}

/** A value: the line of its key, and the lines that belong to it. */
interface Block {
  readonly line: number;
  readonly first: number;
  readonly end: number;
  /** The value starts behind this column of its first line; absent: at the first content. */
  readonly column?: number;
}

const isContent = (line: Line): boolean => !line.isEmpty;

function readLine(text: string): Line {
  const columns: number[] = [];
  let at = text.search(/[^ ]/);
  if (at < 0 || text[at] === "#") return { columns, key: undefined, isEmpty: true };
  for (
    ;
    text.slice(at, at + 2) === "- " || text.slice(at) === "-";
    at += 1 + (/^ */.exec(text.slice(at + 1))?.[0].length ?? 0)
  )
    columns.push(at);
  columns.push(at);
  // A brace before a key is the start of an item in a list of JSON objects.
  const [, quoted, single, plain] =
    /^[{[,\s]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"'{[#][^:#]*?))\s*:(?:\s|$)/.exec(text.slice(at)) ?? [];
  return {
    columns,
    key: quoted ?? single ?? plain,
    isEmpty: /^[}\],\s]+$/.test(text.slice(at)),
    isOpening: /^[{[]\s*$/.test(text.slice(at)),
  };
}

/** The column at which the content of a block starts; undefined: it has none. */
function startOf(
  lines: readonly Line[],
  { first, end, column }: Block,
  { skipsOpening }: { readonly skipsOpening: boolean },
): { line: number; column: number } | undefined {
  for (let line = first; line < end; line++) {
    const { columns, isEmpty, isOpening } = lines[line]!;
    if (isEmpty || (skipsOpening && isOpening)) continue;
    const found = columns.find((one) => one > (column ?? -1));
    if (found !== undefined) return { line, column: found };
  }
  return undefined;
}

function memberOf(lines: readonly Line[], block: Block, key: string): Block | undefined {
  const start = startOf(lines, block, { skipsOpening: true });
  if (start === undefined) return undefined;
  for (let line = start.line; line < block.end; line++) {
    const { columns, key: found } = lines[line]!;
    if (found !== key || columns.at(-1) !== start.column) continue;
    return { line, first: line + 1, end: endOf(lines, line + 1, block.end, start.column), column: start.column - 1 };
  }
  return undefined;
}

function itemOf(lines: readonly Line[], block: Block, index: number): Block | undefined {
  const start = startOf(lines, block, { skipsOpening: false });
  if (start === undefined) return undefined;
  const starts: number[] = [];
  for (let line = start.line; line < block.end; line++)
    if (!lines[line]!.isEmpty && lines[line]!.columns.includes(start.column)) starts.push(line);
  const line = starts[index];
  if (line === undefined) return undefined;
  return { line, first: line, end: starts[index + 1] ?? block.end, column: start.column };
}

/** The first line at or left of the column that is not an item of a list at the same column. */
function endOf(lines: readonly Line[], from: number, end: number, column: number): number {
  for (let line = from; line < end; line++) {
    const { columns, isEmpty } = lines[line]!;
    const [first = 0] = columns;
    if (!isEmpty && (first < column || (first === column && columns.length === 1))) return line;
  }
  return end;
}
