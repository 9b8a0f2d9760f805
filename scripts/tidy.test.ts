import { describe, expect, test } from "vitest";
import { dependenciesMax } from "./tidy/safety.ts";
import type { Tree } from "./tidy/tree.ts";
import { inspect } from "./tidy.ts";

/** A house in order, with `more` put into it. */
function house(more: Record<string, string>): Tree {
  return new Map(
    Object.entries({
      "src/base/README.md": "Parts.",
      "src/base/clock.ts": "/** Time. */\nexport const clock = 1;\n",
      "src/kv/README.md": "Start with `contract.ts`.",
      "src/kv/contract.ts":
        '/** The contract. */\nimport { clock } from "../base/clock.ts";\nexport const c = clock;\n',
      "src/kv/contract.test.ts": 'import { c } from "./contract.ts";\nc;\n',
      ...more,
    }),
  );
}
const problems = (more: Record<string, string>) =>
  inspect(house(more)).map(({ file, problem }) => `${file}: ${problem}`);

describe("tidy", () => {
  test("finds nothing in a tidy repository", () => {
    expect(problems({})).toEqual([]);
  });

  test("finds releases that code of the engine asks for, but not those of declarations", () => {
    const engine = (code: string) => ({
      "src/registry/README.md": "Objects.",
      "src/registry/write.ts": `/** Writes. */\nimport { clock } from "../base/clock.ts";\n\nexport const write = clock;\n${code}\n`,
      "src/registry/write.test.ts": 'import { write } from "./write.ts";\nwrite;\n',
    });
    const asks = (question: string) => [`src/registry/write.ts: asks for a release: ${question}`];
    expect(problems(engine('if (environment.since("1.22")) write();'))).toEqual(asks('since("1.22")'));
    expect(problems(engine('isSince(level, "1.22");'))).toEqual(asks('isSince(level, "1.22")'));
    expect(problems(engine('const writesSince = "1.22";'))).toEqual(asks('const writesSince = "1.22";'));
    expect(problems(engine('const at = string().at(1).since("1.22");'))).toEqual([]);
    expect(problems(engine('const values = [since("1.22", "A")];'))).toEqual([]);
  });

  test("finds gates with an effect that nothing asks for", () => {
    const gates = (asked: string) => ({
      "src/machinery/README.md": "All objects.",
      "src/machinery/schema/gates.ts": `/** The gates. */
import { clock } from "../../base/clock.ts";

export const gatesWithEffect = [
  "Asked",
  clock,
];
`,
      "src/machinery/schema/ask.test.ts": 'import { gatesWithEffect } from "./gates.ts";\ngatesWithEffect;\n',
      "src/kv/contract.ts": `/** The contract. */\nimport { clock } from "../base/clock.ts";\nexport const c = clock${asked};\n`,
    });
    const file = "src/machinery/schema/gates.ts";
    expect(problems(gates(""))).toEqual([`${file}: lists the gate Asked, which nothing asks for`]);
    expect(problems(gates('.enabled("Asked")'))).toEqual([]);
  });

  test("finds flags of ctl that no code reads", () => {
    const flags = (read: string) => ({
      "src/ctl/README.md": "The command line.",
      "src/ctl/list.ts": `/** Lists. */
import { bool, string } from "../base/clock.ts";

const listFlags = {
  sorted: bool("Sort the list"),
  "by-name": string("The name"),
  profile: string("Ignored"),
};
${read}
`,
      "src/ctl/list.test.ts": 'import "./list.ts";\n',
    });
    const found = (read: string) => problems(flags(read)).filter((problem) => problem.includes("flag"));
    const unread = (name: string) => `src/ctl/list.ts: declares the flag --${name}, which no code reads`;
    expect(found("listFlags;")).toEqual([unread("sorted"), unread("by-name")]);
    expect(found("context.flags.sorted;")).toEqual([unread("by-name")]);
    for (const read of ['flags["by-name"]', 'context.isSet("by-name")', 'flags[isLong ? "by-name" : "other"]'])
      expect(found(`const { sorted } = context.flags;\n${read};`)).toEqual([]);
  });

  test("finds wires of controllers that are long or call the API", () => {
    const wire = (text: string) =>
      problems({
        "src/controllers/README.md": "Loops.",
        "src/controllers/job/wire.ts": `/** Jobs. */\n${text}`,
      }).filter((problem) => /lines|API/.test(problem));
    expect(wire("const one = 1;\n".repeat(59))).toEqual([]);
    expect(wire("const one = 1;\n".repeat(60))).toEqual(["src/controllers/job/wire.ts: has 61 lines, more than 60"]);
    expect(wire("await context.client.of(Pod).list();\n")).toEqual(["src/controllers/job/wire.ts: calls the API"]);
    expect(wire("const scales = createScales(client);\n")).toEqual([]);
  });

  test("reports an import against the direction, with the fix", () => {
    const text = '/** Wrong way. */\nimport { c } from "../kv/contract.ts";\nexport const x = c;\n';
    const findings = inspect(house({ "src/base/wrong.ts": text, "src/base/wrong.test.ts": 'import "./wrong.ts";\n' }));
    expect(findings).toEqual([
      {
        level: "error",
        file: "src/base/wrong.ts",
        problem: "imports src/kv/contract.ts",
        fix: "base may import nothing; move the shared part there, or let src/main hand it in",
      },
    ]);
  });

  test("reports folders and files of a room that import each other", () => {
    const file = (path: string, what: string) =>
      `/** A part. */\nimport ${what} from "${path}";\nexport const part = 1;\n`;
    const circle = {
      "src/kv/a/one.ts": file("../b/two.ts", "{ part as two }"),
      "src/kv/b/two.ts": file("../a/one.ts", "{ part as one }"),
    };
    expect(problems(circle)).toEqual([
      "src/kv/a/one.ts: imports src/kv/b, which imports src/kv/a",
      "src/kv/b/two.ts: imports src/kv/a, which imports src/kv/b",
      "src/kv/a/one.ts: imports src/kv/b/two.ts, which imports it in turn",
      "src/kv/b/two.ts: imports src/kv/a/one.ts, which imports it in turn",
    ]);
    const test = { "src/kv/a/one.test.ts": 'import { part } from "./one.ts";\npart;\n' };
    for (const types of ["type { Part }", "{ type Part, type Other }"])
      expect(problems({ ...circle, ...test, "src/kv/b/two.ts": file("../a/one.ts", types) })).toEqual([]);
  });

  test("finds a kind and its rules that import each other, even by types", () => {
    const kind = (imported: string) => ({
      "src/api/README.md": "Kinds.",
      "src/api/gate.ts": '/** A gate. */\nimport { rules } from "./validate-gate.ts";\nexport const Gate = rules;\n',
      "src/api/gate.test.ts": 'import { Gate } from "./gate.ts";\nGate;\n',
      "src/api/gate-spec.ts": "/** Its fields. */\nexport type Gate = number;\n",
      "src/api/validate-gate.ts": `/** Its rules. */\nimport type { Gate } from "./${imported}";\nexport const rules: Gate = 1;\n`,
    });
    const found = (imported: string) => problems(kind(imported)).filter((problem) => problem.includes("imports it"));
    expect(found("gate-spec.ts")).toEqual([]);
    expect(found("gate.ts")).toEqual([
      "src/api/gate.ts: imports src/api/validate-gate.ts, which imports it, itself or through others",
      "src/api/validate-gate.ts: imports src/api/gate.ts, which imports it, itself or through others",
    ]);
  });

  test("reports an export that no other file imports", () => {
    const text = "/** A part. */\nexport interface Used {}\nexport type Needless = 1;\nexport const needless = 1;\n";
    const user = '/** Uses it. */\nimport type { Used } from "./part.ts";\nconst used: Used = {};\nused;\n';
    const more = { "src/kv/part.ts": text, "src/kv/user.ts": user, "src/kv/user.test.ts": 'import "./user.ts";\n' };
    expect(problems(more)).toEqual([
      "src/kv/part.ts: exports Needless, which no other file imports",
      "src/kv/part.ts: exports needless, which no other file imports",
    ]);
    const later = 'const part = await import("./part.ts");\npart;\n';
    expect(problems({ ...more, "src/kv/later.test.ts": later })).toEqual([]);
  });

  test("reports what nobody uses in the page of a browser, whose entry is loaded by name", () => {
    const main = '/** The entry. */\nimport { View } from "./views/view.tsx";\nexport const shown = View;\n';
    const view = "/** A view. */\nexport const View = 1;\nexport const needless = 1;\n";
    const files = { "src/console/main.tsx": main, "src/console/views/view.tsx": view };
    const lonely = { "src/console/state/lonely.ts": "/** Alone. */\n" };
    expect(problems({ ...files, ...lonely, "src/console/README.md": "# console\n" })).toEqual([
      "src/console/views/view.tsx: exports needless, which no other file imports",
      "src/console/state/lonely.ts: no file imports this one",
    ]);
  });

  test("treats dynamic imports as imports", () => {
    const text = '/** Late. */\nexport const late = () => import("../kv/contract.ts");\n';
    expect(problems({ "src/base/late.ts": text, "src/base/late.test.ts": 'import "./late.ts";\n' })).toEqual([
      "src/base/late.ts: imports src/kv/contract.ts",
    ]);
  });

  test("allows the import of a contract whose room may not be imported", () => {
    const good = '/** Reads. */\nimport { c } from "../kv/contract.ts";\nexport const r = c;\n';
    const bad = '/** Reads. */\nimport { c } from "../kv/memory.ts";\nexport const r = c;\n';
    const rest = { "src/registry/README.md": "Verbs.", "src/registry/r.test.ts": 'import "./r.ts";\n' };
    expect(problems({ ...rest, "src/registry/r.ts": good })).toEqual([]);
    expect(problems({ ...rest, "src/registry/r.ts": bad })).toEqual(["src/registry/r.ts: imports src/kv/memory.ts"]);
  });

  test("reports a kind without a golden file", () => {
    const declaration = "/** A thing. */\nexport const Thing = kind({\n});\n";
    const rest = {
      "src/api/README.md": "Kinds.",
      "src/api/apps/v1/thing.ts": declaration,
      "src/api/catalog.test.ts": 'import "./apps/v1/thing.ts";\n',
    };
    const golden = (form: string) => [`test/golden/apps/v1/thing.${form}`, ""];
    expect(problems(rest)).toEqual(["src/api/apps/v1/thing.ts: has no golden file in json, yaml, pb.hex, table.json"]);
    expect(problems({ ...rest, ...Object.fromEntries(["json", "yaml", "pb.hex", "table.json"].map(golden)) })).toEqual(
      [],
    );
  });

  test("a file that is started as a process counts as used", () => {
    const starter = '/** Starts. */\nexport const path = new URL("./child.ts", import.meta.url);\n';
    expect(
      problems({
        "src/kv/start.ts": starter,
        "src/kv/start.test.ts": 'import "./start.ts";\n',
        "src/kv/child.ts": "/** Runs. */\n",
      }),
    ).toEqual([]);
  });

  const rules: { why: string; files: Record<string, string>; expected: string[] }[] = [
    {
      why: "a file that no file imports",
      files: { "src/base/lonely.ts": "/** Alone. */\n" },
      expected: ["src/base/lonely.ts: no file imports this one"],
    },
    {
      why: "a file without an opening comment",
      files: { "src/base/mute.test.ts": 'import "./mute.ts";\n', "src/base/mute.ts": "export const a = 1;\n" },
      expected: ["src/base/mute.ts: does not say what it is"],
    },
    {
      why: "a room without a README",
      files: { "src/api/pod.ts": "/** A pod. */\n", "src/api/pod.test.ts": 'import "./pod.ts";\n' },
      expected: ["src/api/README.md: the room has no README"],
    },
    {
      why: "docs that name a missing file",
      files: { "docs/a.md": "See `src/kv/gone.ts` and [this](b.md), not `k8s.io` or `src/kv/contract.ts`." },
      expected: [
        "docs/a.md: names src/kv/gone.ts, which does not exist",
        "docs/a.md: names b.md, which does not exist",
      ],
    },
    {
      why: "docs that name a file of another room by its name alone",
      files: {
        "docs/a.md": "See `contract.ts`.\n\nIn `src/kv/` it is `contract.ts`.",
        "src/base/README.md": "Parts, unlike `contract.ts`.",
        "docs/b.md": "See `contract.ts`.",
      },
      expected: [
        "src/base/README.md: names contract.ts, which does not exist",
        "docs/b.md: names contract.ts, which does not exist",
      ],
    },
    {
      why: "a README that repeats the table of imports",
      files: { "src/base/README.md": "Parts. May import nothing." },
      expected: ["src/base/README.md: repeats what the room may import"],
    },
    {
      why: "a README that names what no source has",
      files: { "src/base/README.md": "Start with `openClock(options)`, then `c`, then `readClock`." },
      expected: [
        "src/base/README.md: names openClock, which is in no source",
        "src/base/README.md: names readClock, which is in no source",
      ],
    },
    {
      why: "a reading table that names a function which is not there",
      files: { "docs/a.md": "| `src/kv/contract.ts` | `c` | |\n| `src/kv/contract.ts` | `Contract.open` | |\n" },
      expected: ["docs/a.md: looks for Contract.open in src/kv/contract.ts, which does not have it"],
    },
    {
      why: "comments that name a missing file",
      files: {
        "scripts/x.ts":
          "// As in gone.ts, kv/contract.ts and src/kv/contract.ts.\n/** See src/kv/gone.ts. */\nconst a = 'b.ts';\n",
      },
      expected: [
        "scripts/x.ts:1: names gone.ts, which does not exist",
        "scripts/x.ts:2: names src/kv/gone.ts, which does not exist",
      ],
    },
    {
      why: "a type name that two files declare",
      files: {
        "src/base/a.ts": "/** A. */\nexport interface Level {}\nexport type Sole = 1;\n",
        "src/base/a.test.ts": 'import "./a.ts";\nimport "../kv/b.ts";\n',
        "src/kv/b.ts": "/** B. */\nexport class Level {}\ninterface Sole {}\n",
      },
      expected: ["src/kv/b.ts: declares the type Level a second time"],
    },
    {
      why: "a TODO without an issue",
      files: { "scripts/x.ts": "// TODO later\n// TODO https://example.com/issues/1\n" },
      expected: ["scripts/x.ts:1: a deferred thing without an issue"],
    },
    {
      why: "a variable of a module, unless a list says whose it is",
      files: {
        "src/base/turns.ts": "/** X. */\nlet end: number;\nexport const turn = () => end;\n",
        "src/base/turns.test.ts": 'import "./turns.ts";\n',
        "src/base/x.ts": "/** X. */\nlet count = 0;\nexport const x = () => count++;\n",
        "src/base/x.test.ts": 'import { x } from "./x.ts";\nlet calls = 0;\nx();\n',
      },
      expected: ["src/base/x.ts: has count, a variable of the module"],
    },
    {
      why: "code that builds code or commands from texts",
      files: Object.fromEntries(
        [
          'eval("1")',
          'new Function("")',
          'import("node:vm")',
          'require("child_process")',
          "insecureHTTPParser",
        ].flatMap((code, at) => [
          [`src/base/x${at}.ts`, `/** X. */\nexport const x = () => ${code};\n`],
          [`src/base/x${at}.test.ts`, `import "./x${at}.ts";\n${code};\n`],
        ]),
      ),
      expected: [
        "src/base/x0.ts: uses eval(",
        "src/base/x1.ts: uses new Function(",
        'src/base/x2.ts: uses "node:vm"',
        'src/base/x3.ts: uses "child_process"',
        "src/base/x4.ts: uses insecureHTTPParser",
      ],
    },
    {
      why: "more dependencies than allowed",
      files: {
        "package.json": JSON.stringify({
          dependencies: Object.fromEntries(Array.from({ length: dependenciesMax }, (_, at) => [`d${at}`, "1"])),
          optionalDependencies: { more: "1" },
        }),
      },
      expected: [`package.json: has ${dependenciesMax + 1} dependencies at run time`],
    },
    {
      why: "a file that is too long",
      files: { "scripts/x.ts": "// a\n".repeat(401) },
      expected: ["scripts/x.ts: has 402 lines"],
    },
    {
      why: "a lock file that names a host, lacks a platform or has no hash",
      files: {
        "package-lock.json": JSON.stringify({
          packages: {
            "": { optionalDependencies: { anything: "1" } },
            "node_modules/a": { resolved: "https://registry.example/a.tgz", optionalDependencies: { "a-linux": "1" } },
          },
        }),
      },
      expected: [
        "package-lock.json: names a host for node_modules/a",
        "package-lock.json: has no hash for node_modules/a",
        "package-lock.json: node_modules/a wants a-linux, which is not in the lock",
      ],
    },
  ];
  for (const { why, files, expected } of rules) {
    test(`reports ${why}`, () => expect(problems(files)).toEqual(expected));
  }

  test("reports words in comments that the glossary replaces, but not those in code", () => {
    const text = '/** What an asker reads. */\nexport const kept = "asker"; // there is no name, read anew\n';
    const files = { "src/kv/kept.ts": text, "src/kv/kept.test.ts": 'import "./kept.ts";\n' };
    expect(problems(files)).toEqual(['src/kv/kept.ts:1: says "asker"', 'src/kv/kept.ts:2: says "anew"']);
  });

  test("reports limits that docs/operations.md does not list", () => {
    const text = "/** Limits. */\nexport const toldMax = 1;\nexport const otherMax = 2 * 1_000;\n";
    const files = { "src/kv/limits.ts": text, "src/kv/limits.test.ts": 'import "./limits.ts";\n' };
    const page = "| `toldMax` | 1 | `src/kv/limits.ts` | all |";
    expect(problems({ ...files, "docs/operations.md": page })).toEqual([
      "src/kv/limits.ts: otherMax is not in docs/operations.md",
    ]);
  });

  test("allows only the named file to skip a check on writes", () => {
    const room = { "src/actions/README.md": "Lives.", "src/registry/README.md": "Verbs." };
    const unused = (file: string) => ({ [file.replace(".ts", ".test.ts")]: `import "./${file.split("/").at(-1)}";\n` });
    const other = "src/actions/other.ts";
    const binds = '/** Binds. */\nserverWrites("a binding", words, context);\n';
    const skips = "/** Skips. */\nexport const context = { skipAdmission: true };\n";
    expect(problems({ ...room, ...unused(other), [other]: binds })).toEqual([
      `${other}: writes for "a binding", which skips a check`,
    ]);
    expect(problems({ ...room, ...unused(other), [other]: skips })).toEqual([
      `${other}: writes past admission or past the rules of a kind`,
    ]);
    const prints = "/** Prints. */\nawait registry.createEncoded(kind, ref, text);\n";
    expect(problems({ ...room, ...unused(other), [other]: prints })).toEqual([
      `${other}: stores an object without any check`,
    ]);
    const table = "src/registry/contract/server-writes.ts";
    const adds = '/** Writes. */\nconst purposes = {\n  "a whim": { manager: "", skipRules: true },\n};\n';
    expect(problems({ ...room, ...unused(table), [table]: adds })).toEqual([`${table}: "a whim" skips a check`]);
  });
});
