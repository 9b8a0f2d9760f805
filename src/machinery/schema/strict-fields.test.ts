import { expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { readJson } from "../json/json.ts";
import { elided, json, list, map, string, struct } from "./build.ts";
import {
  declaredMembers,
  isFaultless,
  strictProblems,
  strictProblemsMax,
  strictProblemsSteps,
  unknownMembersSteps,
} from "./strict-fields.ts";

const Part = struct("x.v1.Part", { name: string().at(1) });
const Whole = declaredMembers(
  struct("x.v1.Whole", {
    parts: elided(list(Part)).at(1),
    labels: elided(map(string())).at(2),
    raw: elided(json()).at(3),
  }).schema,
  true,
);

const cases = [
  {
    why: "known fields, keys of maps and parts of raw values",
    text: '{"kind":"W","labels":{"a":"b"},"raw":{"z":1}}',
    found: [],
  },
  { why: "a field of an item", text: '{"parts":[{"name":"a"},{"nam":"b"}]}', found: ['unknown field "parts[1].nam"'] },
  {
    why: "a key that a map has twice",
    text: '{"labels":{"a":"1","\\u0061":"2"}}',
    found: ['duplicate field "labels.a"'],
  },
  {
    why: "problems in the order of the text, and a repeated unknown field once as unknown",
    text: '{ "x" : [ ], "parts":[ ] , "x":null,"parts":[]}',
    found: ['unknown field "x"', 'duplicate field "x"', 'duplicate field "parts"'],
  },
];
for (const { why, text, found } of cases) test(why, () => expect(strictProblems(text, Whole)).toEqual(found));

const isSurelyFaultless = (text: string, known = Whole) => isFaultless(readJson(Buffer.from(text)), known, () => text);

for (const { why, text, found } of cases)
  test(`what was read from a text tells whether it has problems: ${why}`, () =>
    expect(isSurelyFaultless(text)).toBe(found.length === 0));

test("what was read tells nothing of a text that nests deep", () => {
  const deep = (depth: number) => `{"raw":${"[".repeat(depth)}{"a:b":"c\\":d"}${"]".repeat(depth)}}`;
  expect([isSurelyFaultless(deep(50)), isSurelyFaultless(deep(200))]).toEqual([true, false]);
});

test("members that a value has and its kind does not are found without a text", () => {
  const problems = (value: unknown) => finish(unknownMembersSteps(value, Whole));
  expect(problems({ parts: [{ name: "a" }], labels: { ["__proto__"]: "a" }, raw: { z: 1n } })).toEqual([]);
  expect(problems({ parts: [{ name: "a" }, { nam: "b" }], more: 1n })).toEqual([
    'unknown field "parts[1].nam"',
    'unknown field "more"',
  ]);
});

test("however a text is printed, the same problems are found", () => {
  const texts = [
    '{"parts":[{"name":"a"}]}',
    '{"labels":{"2":"b","1":"a"}}',
    '{"labels":{"__proto__":"a"}}',
    '{"raw":1.50}',
  ];
  const faulty = [
    '{"parts":[{"nam":"a"}]}',
    '{"labels":{"1":"b","1":"a"}}',
    '{"labels":{"__proto__":"a","__proto__":"b"}}',
  ];
  for (const text of [...texts, ...faulty]) {
    const found = strictProblems(text, Whole);
    expect([text, found.length]).toEqual([text, faulty.includes(text) ? 1 : 0]);
    expect([text, isSurelyFaultless(text)]).toEqual([text, !faulty.includes(text)]);
    for (const printed of [`${text}\n`, ` ${text}`, text.replaceAll(":", ": ")])
      expect([printed, strictProblems(printed, Whole)]).toEqual([printed, found]);
  }
});

test("a text that nests deeper than functions may call themselves is read", () => {
  const deep = `{"raw":${"[".repeat(900)}${"]".repeat(900)}}`;
  expect([strictProblems(deep, Whole), strictProblems(deep, undefined)]).toEqual([[], []]);
});

test("a list is checked as well as an object", () => {
  const known = declaredMembers(list(struct("test.Part", { name: string() })).schema);
  expect(strictProblems('[{"name":"a"},{"nam":"b","nam":"c"}]', known)).toEqual([
    'unknown field "[1].nam"',
    'duplicate field "[1].nam"',
  ]);
});

test("without a schema only duplicates are found", () => {
  expect(strictProblems('{"a":{"b":1,"b":2}}', undefined)).toEqual(['duplicate field "a.b"']);
});

test("the number of problems is limited", () => {
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, i])));
  expect(strictProblems(text, Whole)).toHaveLength(strictProblemsMax);
});

test("a text of very many keys and items is looked at in steps", () => {
  const keys = Array.from({ length: 20_000 }, (_, at) => `"k${at}":"v"`).join();
  const items = Array(20_000).fill("1").join();
  const steps = strictProblemsSteps(`{"labels":{${keys},"k0":""},"raw":[${items}],"x":{}}`, Whole);
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  expect(count).toBeGreaterThanOrEqual(80);
  expect(step.value).toEqual(['duplicate field "labels.k0"', 'unknown field "x"']);
});
