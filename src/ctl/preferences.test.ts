/** A user's own defaults and aliases, and exit codes that a script can tell apart. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "./session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
  await session.ok("create configmap settings --from-literal=a=b");
  session.file(
    "rc",
    `apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults:
- command: get
  options: [{name: output, default: name}]
- command: rollout status
  options: [{name: timeout, default: 1ms}]
aliases:
- name: settings
  command: get
  prependArgs: [configmaps]
  appendArgs: [settings]
  options: [{name: output, default: "jsonpath={.data.a}"}]
- name: get
  command: delete
`,
  );
  session.file(
    "old",
    "apiVersion: kubectl.config.k8s.io/v1alpha1\nkind: Preference\noverrides: [{command: get, flags: [{name: show-labels, default: 'true'}]}]\n",
  );
  session.file("wrong", "kind: Config\n");
  session.file("broken", "a: [\n");
  session.file(
    "flag",
    "apiVersion: ctl.config.orch.io/v1beta1\nkind: Preference\ndefaults: [{command: get, options: [{name: nothing}]}]\n",
  );
});
afterAll(() => session[Symbol.asyncDispose]());

describe("preferences", () => {
  const cases: readonly { line: string; rc?: string; program?: string; code?: number; out?: unknown; err?: unknown }[] =
    [
      { line: "get cm", out: "configmap/settings\n" },
      { line: "get cm -o jsonpath={.items[0].data.a}", out: "b" },
      { line: "settings", out: "b" },
      { line: "settings -o name", out: "configmap/settings\n" },
      { line: "get cm", rc: "old", out: expect.stringMatching(/^NAME +DATA +AGE +LABELS\n/) },
      { line: "get cm --kuberc=off", out: expect.stringMatching(/^NAME +DATA +AGE\n/) },
      { line: "get cm", program: "kubectl", rc: "", out: expect.stringMatching(/^NAME +/) },
      {
        line: "get cm",
        rc: "missing",
        code: 1,
        err: expect.stringMatching(/unable to read preferences from \S+missing\n/),
      },
      { line: "get cm", rc: "wrong", code: 1, err: expect.stringContaining("must be a Preference of") },
      { line: "get cm", rc: "broken", code: 1, err: expect.stringMatching(/^error: preferences in \S+broken: /) },
      { line: "get cm", rc: "flag", code: 1, err: expect.stringContaining("unknown flag: --nothing") },
    ];
  for (const { line, rc = "rc", program = "ctl", code = 0, out = "", err = "" } of cases)
    test(`${program} ${line} with ${rc || "no file"}`, async () => {
      const env = rc === "" ? {} : { KUBERC: `${session.folder}/${rc}` };
      expect(await session.run(line, { env, program })).toEqual({ code, out, err });
    });
});

describe("exit codes", () => {
  const cases = [
    { line: "get cm nothing", plain: 1, rich: 3 },
    { line: "get pods --nothing", plain: 1, rich: 2 },
    { line: "create configmap settings", plain: 1, rich: 5 },
    { line: "wait --for=condition=Ready cm/settings --timeout=1ms", plain: 1, rich: 6 },
    { line: "wait --for=create cm/nothing --timeout=1ms", plain: 1, rich: 6 },
    { line: "diff -f nothing.yaml", plain: 2, rich: 2 },
  ];
  for (const { line, plain, rich } of cases)
    test(`of ${line} are ${plain} and ${rich}`, async () => {
      expect((await session.run(line)).code).toBe(plain);
      expect((await session.run(`--exit-codes rich ${line}`)).code).toBe(rich);
      expect((await session.run(`${line} --exit-codes=rich`)).code).toBe(rich);
    });
});

describe("hints", () => {
  const cases = [
    {
      line: "get cm setings",
      err: 'Error from server (NotFound): configmaps "setings" not found\nDid you mean "settings"?\n',
    },
    {
      line: "delete cm setings",
      err: 'Error from server (NotFound): configmaps "setings" not found\nDid you mean "settings"?\n',
    },
    {
      line: "get ns defualt",
      err: 'Error from server (NotFound): namespaces "defualt" not found\nDid you mean "default"?\n',
    },
    {
      line: "get pods -n defualt",
      err: 'No resources found in defualt namespace.\nThere is no namespace "defualt". Did you mean "default"?\n',
      code: 0,
    },
    { line: "get pods -n defualt --quiet", err: "", code: 0 },
    {
      line: "get pods --color=pink",
      err: `Error: --color must be auto, always or never, not "pink"\nSee 'ctl get --help' for usage.\n`,
    },
    {
      line: "rolout status x",
      err: `Error: unknown command "rolout" for "ctl"\n\nDid you mean this?\n\trollout\n\nRun 'ctl --help' for usage.\n`,
    },
    {
      line: "get confgmap",
      err: `error: the server doesn't have a resource type "confgmap"\nDid you mean "configmap"?\n`,
    },
    {
      line: "get pods --selectr=a",
      err: "Error: unknown flag: --selectr (did you mean --selector?)\nSee 'ctl get --help' for usage.\n",
    },
  ];
  for (const { line, err, code = 1 } of cases)
    test(`${line} suggests the likely name`, async () => {
      expect(await session.run(line)).toEqual({ code, out: "", err });
    });
  test("a wrong context suggests the likely name", async () => {
    session.file(
      "config",
      "contexts: [{name: production, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n",
    );
    for (const line of ["get pods --context=prodction", "config use-context prodction"])
      expect((await session.run(`${line} --kubeconfig=${session.folder}/config`)).err).toContain(
        'Did you mean "production"?\n',
      );
  });
});
