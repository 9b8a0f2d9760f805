import { describe, expect, test } from "vitest";
import { anyDuration, bool, choice, duration, FlagError, int, string, stringArray, strings } from "./flag.ts";
import { pairs, stringMap, switches } from "./maps.ts";
import { parseFlags } from "./parse.ts";
import { goWording } from "./wording.ts";

const flags = {
  port: int("where to listen", 6443),
  name: string("what it is called", "", { aliases: ["title"] }),
  wait: duration("how long", 60_000),
  modes: strings("several", ["a"]),
  key: stringArray("one each"),
  gates: switches("on or off"),
  config: pairs("pairs"),
  lists: stringMap("pairs with commas"),
  quiet: bool("no noise"),
  store: choice(["embedded", "memory"], "where", "embedded"),
  later: string("not built", "", { pending: "it is not read" }),
  never: string("unsafe", "", { refused: "it would be unsafe to go on without it" }),
};
const values = (...args: string[]) => parseFlags(flags, args).values;

describe("parseFlags", () => {
  test("returns defaults for absent flags", () => {
    expect(values()).toEqual({
      port: 6443,
      name: "",
      wait: 60_000,
      modes: ["a"],
      key: [],
      gates: new Map(),
      config: new Map(),
      lists: new Map(),
      quiet: false,
      store: "embedded",
      later: "",
      never: "",
    });
  });

  const rows = [
    { why: "a value after =", args: ["--port=1"], expected: { port: 1 } },
    { why: "a value as the next argument", args: ["--port", "1"], expected: { port: 1 } },
    { why: "a value that contains =", args: ["--name=a=b"], expected: { name: "a=b" } },
    { why: "the last of several", args: ["--port=1", "--port=2"], expected: { port: 2 } },
    { why: "another name for the same flag", args: ["--title=x"], expected: { name: "x" } },
    { why: "underscores as dashes", args: ["--title=x", "--wait=1m30s"], expected: { name: "x", wait: 90_000 } },
    { why: "a switch without a value", args: ["--quiet", "--port=1"], expected: { quiet: true, port: 1 } },
    { why: "a switch turned off", args: ["--quiet=false"], expected: { quiet: false } },
    {
      why: "lists replace the default and join",
      args: ["--modes=b,c", "--modes=d"],
      expected: { modes: ["b", "c", "d"] },
    },
    { why: "arrays keep commas", args: ["--key=a,b", "--key=c"], expected: { key: ["a,b", "c"] } },
    {
      why: "switches",
      args: ["--gates=A=true,B=false"],
      expected: {
        gates: new Map([
          ["A", true],
          ["B", false],
        ]),
      },
    },
    {
      why: "pairs",
      args: ["--config=api/all=true,x"],
      expected: {
        config: new Map([
          ["api/all", "true"],
          ["x", "true"],
        ]),
      },
    },
    {
      why: "one pair with commas",
      args: ["--lists=m,l=a,b", "--lists=n=1"],
      expected: { lists: new Map(Object.entries({ "m,l": "a,b", n: "1" })) },
    },
    {
      why: "several pairs with commas in quotes",
      args: ['--lists="m,l=a,b",n=1,"o=""x"""'],
      expected: { lists: new Map(Object.entries({ "m,l": "a,b", n: "1", o: '"x"' })) },
    },
    { why: "durations in the form of Go", args: ["--wait=1h0m0.5s"], expected: { wait: 3_600_500 } },
    { why: "one of a few allowed words", args: ["--store=memory"], expected: { store: "memory" } },
  ];
  for (const { why, args, expected } of rows) {
    test(`reads ${why}`, () => expect(values(...args)).toMatchObject(expected));
  }

  const refusals = [
    { args: ["--prot=1"], message: "unknown flag --prot; did you mean --port?" },
    { args: ["--moose=1"], message: "unknown flag --moose; --help-all lists them all" },
    { args: ["--something-else"], message: "unknown flag --something-else; --help-all lists them all" },
    { args: ["--constructor=1"], message: "unknown flag --constructor; --help-all lists them all" },
    { args: ["port"], message: 'unexpected argument "port"; flags begin with --' },
    { args: ["--port=0x10"], message: '--port must be a whole number, not "0x10"' },
    { args: ["--port"], message: "--port needs a value (int)" },
    { args: ["--wait=5"], message: '--wait must be a duration such as 30s, 5m or 1h30m, not "5"' },
    { args: ["--lists=m"], message: '--lists must be formatted as key=value, not "m"' },
    { args: ["--lists=m,l=a,n=b"], message: '--lists must be formatted as key=value, not "m"' },
    {
      args: ['--lists="m=a,n=b'],
      message: '--lists must have pairs that contain commas in quotes: "key=value","key=value", not "m=a,n=b',
    },
    { args: ["--store=disk"], message: '--store must be one of embedded, memory, not "disk"' },
    { args: ["--never=x"], message: "--never: it would be unsafe to go on without it" },
  ];
  for (const { args, message } of refusals) {
    test(`refuses ${args.join(" ")}`, () => expect(() => values(...args)).toThrow(new FlagError(message)));
  }

  test("warns once about a flag that has no effect", () => {
    const { warnings } = parseFlags(flags, ["--later=1", "--later=2", "--port=1"]);
    expect(warnings).toEqual(["--later is accepted but has no effect: it is not read"]);
  });
});

test("a map of switches needs a value that is true or false", () => {
  expect(() => parseFlags(flags, ["--gates=IndexedJob"])).toThrow("--gates is missing a bool value for IndexedJob");
  expect(() => parseFlags(flags, ["--gates=IndexedJob=maybe"])).toThrow(
    "--gates has an invalid value of IndexedJob=maybe: it must be true or false",
  );
});

describe("a line with short flags and arguments", () => {
  const table = {
    output: string("how to print", "", { short: "o" }),
    all: bool("everything", false, { short: "A" }),
    watch: bool("go on", false, { short: "w" }),
    mode: string("how", "none", { bare: "plain" }),
    files: strings("several", [], { short: "f" }),
    wait: anyDuration("how long", 0),
  };
  const read = (...args: string[]) =>
    parseFlags(table, args, { takesArguments: true, hasShorts: true, wording: goWording });

  const rows = [
    { why: "short flags together", args: ["-Aw"], expected: { all: true, watch: true } },
    { why: "a value that follows at once", args: ["-ojson"], expected: { output: "json" } },
    { why: "a value after =", args: ["-o=json"], expected: { output: "json" } },
    { why: "a value as the next argument", args: ["-Ao", "json"], expected: { all: true, output: "json" } },
    { why: "a flag whose value may be absent", args: ["--mode"], expected: { mode: "plain" } },
    { why: "a list with quotes", args: ['-f=a,"b,c"', "-f", "d"], expected: { files: ["a", "b,c", "d"] } },
    { why: "a negative duration", args: ["--wait=-1s"], expected: { wait: -1000 } },
  ];
  for (const { why, args, expected } of rows)
    test(`reads ${why}`, () => expect(read(...args).values).toMatchObject(expected));

  test("keeps arguments apart, and those after -- unread", () => {
    const { others, dashAt, uses } = read("exec", "-o", "x", "web", "--", "ls", "-A");
    expect({ others, dashAt, uses }).toEqual({
      others: ["exec", "web", "ls", "-A"],
      dashAt: 2,
      uses: [{ name: "output", text: "x" }],
    });
  });

  const refusals = [
    { args: ["--ouput=x"], message: "unknown flag: --ouput (did you mean --output?)" },
    { args: ["-x"], message: "unknown shorthand flag: 'x' in -x" },
    { args: ["-o"], message: "flag needs an argument: 'o' in -o" },
    { args: ["--output"], message: "flag needs an argument: --output" },
    {
      args: ["--all=x"],
      message: 'invalid argument "x" for "-A, --all" flag: strconv.ParseBool: parsing "x": invalid syntax',
    },
    { args: ["--wait=5"], message: 'invalid argument "5" for "--wait" flag: time: invalid duration "5"' },
  ];
  for (const { args, message } of refusals)
    test(`refuses ${args.join(" ")}`, () => expect(() => read(...args)).toThrow(new FlagError(message)));
});
