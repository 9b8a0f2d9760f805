import { describe, expect, test } from "vitest";
import { apiserverFlags } from "./apiserver-flags.ts";
import {
  bool,
  choice,
  duration,
  FlagError,
  int,
  pairs,
  stringArray,
  stringMap,
  strings,
  switches,
  text,
} from "./flag.ts";
import { describeFlags } from "./help.ts";
import { parseFlags } from "./parse.ts";

const flags = {
  port: int("where to listen", 6443),
  name: text("what it is called", "", { aliases: ["title"] }),
  wait: duration("how long", 60_000),
  modes: strings("several", ["a"]),
  key: stringArray("one each"),
  gates: switches("on or off"),
  config: pairs("pairs"),
  lists: stringMap("pairs with commas"),
  quiet: bool("no noise"),
  store: choice(["embedded", "memory"], "where", "embedded"),
  later: text("not built", "", { pending: "it is not read" }),
  never: text("unsafe", "", { refused: "it would be unsafe to go on without it" }),
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
    { args: ["--moose=1"], message: "unknown flag --moose; --help lists them all" },
    { args: ["--something-else"], message: "unknown flag --something-else; --help lists them all" },
    { args: ["--constructor=1"], message: "unknown flag --constructor; --help lists them all" },
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

test("a deprecated flag is accepted with the warning of v1.21, and the help leaves it out", () => {
  const { warnings } = parseFlags(apiserverFlags, ["--insecure-port=0", "--insecure-port=0", "--kubelet-https"]);
  expect(warnings).toEqual([
    "Flag --insecure-port has been deprecated, This flag has no effect now and will be removed in v1.24.",
    "Flag --kubelet-https has been deprecated, API Server connections to orchlets always use https. This flag will be removed in v1.22.",
  ]);
  const help = { flags: apiserverFlags, first: [] };
  expect(describeFlags(help, true)).not.toContain("--insecure-port");
});

test("the help shows how further names are typed", () => {
  const help = { flags: { output: text("how to print", "", { aliases: ["o", "format"] }) }, first: [] };
  expect(describeFlags(help, false)).toContain("how to print (also -o) (also --format)");
});

test("a feature gate needs a value that is true or false", () => {
  expect(() => parseFlags(apiserverFlags, ["--feature-gates=IndexedJob"])).toThrow(
    "--feature-gates is missing a bool value for IndexedJob",
  );
  expect(() => parseFlags(apiserverFlags, ["--feature-gates=IndexedJob=maybe"])).toThrow(
    "--feature-gates has an invalid value of IndexedJob=maybe: it must be true or false",
  );
});
