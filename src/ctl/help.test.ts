/** Help that every command has, and the overview. */

import { describe, expect, test } from "vitest";
import type { Command } from "./command.ts";
import { commands } from "./commands/list.ts";
import { helpOf, overview } from "./help.ts";

const pages = async (): Promise<{ path: string; command: Command }[]> => {
  const found: { path: string; command: Command }[] = [];
  const visit = (command: Command, path: string) => {
    found.push({ path, command });
    for (const sub of command.subcommands ?? []) visit(sub, `${path} ${sub.name}`);
  };
  for (const entry of commands) if (entry.isHidden !== true) visit(await entry.load(), entry.name);
  return found;
};

describe("help", () => {
  test("every command has a description, a usage line and an example", async () => {
    for (const { path, command } of await pages()) {
      expect(command.summary, path).not.toBe("");
      expect(command.usage, path).toBeDefined();
      expect(command.examples, path).toMatch(/\bctl /);
      for (const [name, { help }] of Object.entries(command.flags)) expect(help, `${path} --${name}`).not.toBe("");
    }
  });

  test("every command that writes objects has a flag for the field manager", async () => {
    const reads = /^(create token|rollout (history|status)|auth (can-i|who-can|whoami)|config |apply view)/;
    const writes = new RegExp(
      "^(apply|create|replace|patch|edit|label|annotate|scale|autoscale|taint|cordon|uncordon|drain|expose|run|import|" +
        "debug|certificate|auth reconcile|set|rollout)\\b",
    );
    for (const { path, command } of await pages())
      if (writes.test(path) && !reads.test(path) && command.run !== undefined)
        expect(Object.keys(command.flags), path).toContain("field-manager");
  });

  test("defaults are shown, with the name of the called program", async () => {
    const create = await commands.find(({ name }) => name === "create")?.load();
    if (create === undefined) throw new Error("there is no create");
    expect(helpOf(create, "kubectl create")).toContain("--field-manager='kubectl-create'");
    expect(helpOf(create, "ctl create")).toContain("--field-manager='ctl-create'");
    expect(helpOf(create, "kubectl create")).toMatch(/Examples:\n {2}kubectl create /);
  });

  test("the overview fits on a screen", () => {
    const lines = overview("kubectl", commands).split("\n");
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe("help shows the defaults that apply", () => {
  const helpFor = async (name: string, program: string) => {
    const command = await commands.find((one) => one.name === name)?.load();
    if (command === undefined) throw new Error(`there is no ${name}`);
    return helpOf(command, `${program} ${name}`);
  };

  for (const name of ["apply", "diff"])
    test(`${name} merges on the server under our own name only`, async () => {
      expect(await helpFor(name, "ctl")).toContain("--server-side=true");
      expect(await helpFor(name, "ctl")).toContain("--field-manager='ctl'");
      expect(await helpFor(name, "kubectl")).toContain("--server-side=false");
      expect(await helpFor(name, "kubectl")).toContain("--field-manager='kubectl-client-side-apply'");
    });

  test("get lists every format that it has", async () => {
    const [line = ""] = /--output.*/.exec(await helpFor("get", "ctl")) ?? [];
    for (const format of ["wide", "csv", "ndjson", "custom-columns", "custom-columns-file", "jsonpath-file", "yaml"])
      expect(line).toContain(format);
  });
});
