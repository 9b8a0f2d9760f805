/** The pages of `docs/api/`: everything that the package exports, with its documentation, as the sources have it. */

import { posix } from "node:path";
import type { Tree } from "../tidy/tree.ts";
import { type Declaration, readSource, type SourceFile } from "./declarations.ts";

interface Entry {
  /** What users import. */
  readonly module: string;
  readonly file: string;
  /** The page that shows it by example, from docs/api. */
  readonly guide: string;
}

const entries: readonly Entry[] = [
  { module: "orch", file: "src/main/library.ts", guide: "../testing.md" },
  { module: "orch/client", file: "src/kit/orch-client.ts", guide: "../building.md" },
  { module: "orch/testing", file: "src/main/testing.ts", guide: "../testing.md" },
];

/** What has a page of its own, or is part of the inside. */
const unmentioned =
  /^src\/(api|base\/release|machinery\/(schema\/(?!build\.ts)|catalog|json)|registry|authz|vocabulary)\b/;
/** Of a class of the inside, what users call: they describe the fields of their resources with it. */
const fieldKey = "src/machinery/schema/schema.ts Field";
const fieldMethods = new Set("doc default required filled oneOf atLeast atMost named max uniqueBy unique".split(" "));
/** The list of built-in kinds: one line each. */
const kindsFile = "src/kit/kinds.ts";

const pageOf = (module: string) => `docs/api/${module.replace("/", "-")}.md`;

/** The pages by their path. */
export function apiPages(tree: Tree): ReadonlyMap<string, string> {
  const read = sourceReader(tree);
  const places: Places = new Map();
  return new Map(entries.map((entry) => [pageOf(entry.module), printPage(entry, read, places)]));
}

/** What the modules export that has no documentation with an example. The list of kinds has the documentation of `orch/types`. */
export function withoutExample(tree: Tree): readonly Declaration[] {
  const read = sourceReader(tree);
  const found = entries.flatMap(({ file }) => exportedBy(read, file)).filter((one) => one.file !== kindsFile);
  return [...new Map(found.map((one) => [keyOf(one), one])).values()].filter(({ doc }) => !/^@example\n/m.test(doc));
}

/** What a module exports, with the members of `export * as name`. */
function exportedBy(read: Read, file: string): Declaration[] {
  const { reexports, exported, spaces } = read(file);
  return [
    ...[...exported, ...reexports].flatMap((name) => shortened(find(read, file, name)) ?? []),
    ...[...spaces].flatMap(([space, from]) => membersOf(read, space, from)),
  ];
}

/** Where each declaration is shown: the address of a link. The first page that shows one is the only one. */
type Places = Map<string, string>;

type Read = (file: string) => SourceFile;

function sourceReader(tree: Tree): Read {
  const known = new Map<string, SourceFile>();
  return (file) => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const text = tree.get(file);
    if (text === undefined) throw new Error(`${file} does not exist, and something exports from it`);
    const source = readSource(file, text);
    known.set(file, source);
    return source;
  };
}

/** The declaration of a name, wherever the file has it from. Undefined: it is not ours. */
function find(read: Read, file: string, name: string): Declaration | undefined {
  const { declarations, origins } = read(file);
  const own = declarations.get(name);
  if (own !== undefined) return own;
  const origin = origins.get(name);
  return origin === undefined || !origin.file.startsWith("src/") ? undefined : find(read, origin.file, origin.name);
}

/** What `export * as space` exports: "space.name", under the title of the file that lists them. The list of kinds has a place of its own. */
function membersOf(read: Read, space: string, from: string): Declaration[] {
  return read(from).reexports.flatMap((name) => {
    const one = find(read, from, name);
    return one === undefined || one.file.startsWith("src/api/")
      ? []
      : [{ ...one, name: `${space}.${name}`, file: from }];
  });
}

function printPage({ module, file, guide }: Entry, read: Read, places: Places): string {
  const { about, wholes } = read(file);
  const found = exportedBy(read, file);
  const mentioned = mentionedBy(found, read, places);
  place(pageOf(module), [...found.filter((one) => !places.has(keyOf(one))), ...mentioned], places);
  const isHere = (one: Declaration) =>
    places.get(keyOf(one))?.startsWith(`${posix.basename(pageOf(module))}#`) ?? false;
  const link = (one: Declaration) => `[${one.name}](${places.get(keyOf(one))})`;
  const topics = [...byFile(found.filter((one) => one.file !== kindsFile))];
  const contents = topics.map(([topic, list]) => `- ${titleOf(read(topic))}: ${list.map(link).join(", ")}`);
  const sections = topics
    .map(([topic, list]) => ({ title: titleOf(read(topic)), list: list.filter(isHere) }))
    .filter(({ list }) => list.length > 0);
  return [
    `# \`${module}\`\n`,
    `${about}\n`,
    `Written by \`npm run docs\` from the sources; [the guide](${guide}) shows it by example.\n`,
    `${contents.join("\n")}\n`,
    ...sections.map(({ title, list }) => `## ${title}\n\n${list.map(printOne).join("\n")}`),
    ...(wholes.includes(kindsFile) ? [printKinds(read(kindsFile))] : []),
    ...(mentioned.length === 0 ? [] : [`## Types that these mention\n\n${mentioned.map(printOne).join("\n")}`]),
  ].join("\n");
}

/** Headings that differ in case only are numbered, as renderers of Markdown do. */
function place(page: string, shown: readonly Declaration[], places: Places): void {
  const counts = new Map<string, number>();
  for (const one of shown) {
    const anchor = one.name.toLowerCase().replaceAll(".", "");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    places.set(keyOf(one), `${posix.basename(page)}#${anchor}${count === 0 ? "" : `-${count}`}`);
  }
}

function byFile(found: readonly Declaration[]): ReadonlyMap<string, readonly Declaration[]> {
  const topics = new Map<string, Declaration[]>();
  for (const one of found) {
    const list = topics.get(one.file) ?? [];
    list.push(one);
    topics.set(one.file, list);
  }
  return topics;
}

/** The first sentence of the file. */
function titleOf({ about }: SourceFile): string {
  const text = about.replaceAll("\n", " ");
  return (/^.*?[.](?= |$)/.exec(text)?.[0] ?? text).replace(/\.$/, "");
}

/** A class with these methods only; each has one line, and comments above it. */
function onlyMethods(signature: string, names: ReadonlySet<string>): string {
  const [head = "", ...lines] = signature.split("\n");
  const kept: string[] = [];
  let comment: string[] = [];
  for (const line of lines.slice(0, -1)) {
    if (/^ {2,3}(\/\*\*|\*)/.test(line)) {
      comment.push(line);
      continue;
    }
    if (names.has(/^ {2}(\w+)\(/.exec(line)?.[1] ?? "")) kept.push(...comment, line);
    comment = [];
  }
  return [head, ...kept, "}"].join("\n");
}

function printOne({ name, doc, signature }: Declaration): string {
  const [said = "", example] = doc.split(/^@example\n/m);
  const text = said.trim() === "" ? "" : `${said.trim().replaceAll("\n", " ")}\n\n`;
  const shown = example === undefined ? "" : `\nFor example:\n\n\`\`\`ts\n${example.trimEnd()}\n\`\`\`\n`;
  return `### ${name}\n\n${text}\`\`\`ts\n${signature}\n\`\`\`\n${shown}`;
}

function printKinds({ about, exported }: SourceFile): string {
  return `## Built-in kinds\n\n${about.replaceAll("\n", " ")}\n\n${exported.map((name) => `\`${name}\``).join(", ")}\n`;
}

/** Types that a reader meets in signatures and that no module exports, in the order in which they are met. */
function mentionedBy(found: readonly Declaration[], read: Read, places: Places): Declaration[] {
  const shown = new Set([...found.map(keyOf), ...places.keys()]);
  const mentioned: Declaration[] = [];
  const waiting = [...found];
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    for (const name of new Set(typesIn(one.signature))) {
      const other = shortened(find(read, one.file, name));
      if (other === undefined || shown.has(keyOf(other))) continue;
      if (unmentioned.test(other.file) && keyOf(other) !== fieldKey) continue;
      shown.add(keyOf(other));
      mentioned.push(other);
      waiting.push(other);
    }
  }
  return mentioned;
}

const shortened = (one: Declaration | undefined): Declaration | undefined =>
  one === undefined || keyOf(one) !== fieldKey ? one : { ...one, signature: onlyMethods(one.signature, fieldMethods) };

const keyOf = ({ file, name }: Declaration) => `${file} ${name}`;

function typesIn(signature: string): string[] {
  const code = signature.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*|"[^"]*"/g, "");
  return [...code.matchAll(/(?<![\w.])[A-Z]\w*|(?<=typeof )\w+/g)].map(([name]) => name);
}
