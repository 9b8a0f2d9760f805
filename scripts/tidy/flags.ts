/** What a command of ctl declares as a flag, some code reads. */

import { type Finding, isSource, type Tree, testFile } from "./tree.ts";

/** A row of a table of flags. What is accepted without an effect says so: "Ignored". */
const declared =
  /^\s+(?:"([\w-]+)"|(\w+)): (?:bool|string|strings|stringArray|int|duration|anyDuration)\(\s*["'`](?!Ignored)/gm;

/** `flags.name`, `{ name } = flags`, `run(context, { name })`, each with names and commas. */
const plainReads = [/\bflags\??\.(\w+)/g, /\{([^{}]*)\}\s*=\s*(?:context\.)?flags\b/g, /\(context, \{([^{}]*)\}\)/g];
/** `flags["name"]` with any expression, `isSet("name")`, a list of names, the word of a command line. */
const quotedReads = [/\bflags\??\.?\[([^\]]*)\]/g, /[([,]\s*((["'`])[\w-]+\2)(?=[\s,)\]])/g, /(["'`]--[\w-]+["'`])/g];

export function unreadFlags(tree: Tree): Finding[] {
  const sources = [...tree].filter(([file]) => file.startsWith("src/ctl/") && isSource(file) && !testFile.test(file));
  const read = new Set(sources.flatMap(([, text]) => namesRead(text)));
  return sources.flatMap(([file, text]) =>
    [...text.matchAll(declared)]
      .map(([, quoted, plain]) => quoted ?? plain ?? "")
      .filter((name) => !read.has(name))
      .map((name): Finding => {
        const fix = "read it, remove it, or begin its description with Ignored";
        return { level: "error", file, problem: `declares the flag --${name}, which no code reads`, fix };
      }),
  );
}

function namesRead(text: string): string[] {
  const found = (forms: readonly RegExp[]) =>
    forms.flatMap((form) => [...text.matchAll(form)].map(([, names = ""]) => names));
  const plain = found(plainReads).flatMap((names) => names.split(","));
  return [
    ...plain.map((one) => /^\s*["']?([\w-]+)/.exec(one)?.[1] ?? ""),
    ...found(quotedReads).flatMap((names) =>
      [...names.matchAll(/["'`](?:--)?([\w-]+)["'`]/g)].map(([, one = ""]) => one),
    ),
  ];
}
