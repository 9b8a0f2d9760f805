/** `ctl` on a real pseudo-terminal: tables that stay in place, progress, colour, prompts, the editor, hostile text. */

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { describeWith } from "./programs.ts";
import { runOnTerminal, type TerminalOptions, terminal } from "./terminal.ts";

const interrupt = "\u0003";
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
const colour = /\u001b\[\d+m/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const dangerous = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/;

describeWith(terminal, "ctl on a terminal", () => {
  let server: OrchServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orch-terminal-"));
    server = await createServer();
    writeFileSync(join(folder, "config"), (await server.clientConfig()).text, { mode: 0o600 });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ctl = (line: string, options: TerminalOptions = {}) =>
    runOnTerminal([process.execPath, resolve("bin/ctl"), ...line.split(" ")], {
      ...options,
      env: { KUBECONFIG: join(folder, "config"), HOME: folder, TMPDIR: folder, ...options.env },
    });
  const send = async (method: string, path: string, body?: object) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const init = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
    const response = await server.fetch(`/api/v1/namespaces/${path}`, { method, ...init });
    expect([method, path, response.status < 300]).toEqual([method, path, true]);
  };
  const create = (namespace: string, name: string, more: object = {}) =>
    send("POST", `${namespace}/configmaps`, { metadata: { name, ...more } });
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const space = async (name: string) => {
    await server.fetch("/api/v1/namespaces", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name } }),
    });
    return name;
  };

  test("get -w updates one table in place", async () => {
    const name = await space("live");
    await create(name, "first");
    const { code, screen, unseen } = await ctl(
      `get cm -n ${name} -w --show-labels -l !none --field-selector=metadata.name!=orch-root-ca.crt`,
      {
        steps: [
          { until: "first", act: () => create(name, "second") },
          { until: "second", act: () => send("DELETE", `${name}/configmaps/first`) },
          {
            until: "NAME",
            act: () => send("PATCH", `${name}/configmaps/second`, { metadata: { labels: { x: "1" } } }),
          },
          { until: "x=1", send: interrupt },
        ],
      },
    );
    expect({ code, unseen }).toEqual({ code: 130, unseen: [] });
    expect(screen.filter((line) => line.startsWith("NAME"))).toHaveLength(1);
    expect(screen.filter((line) => /^(first|second)/.test(line))).toEqual([
      expect.stringMatching(/^second +0 +\S+ +x=1$/),
    ]);
  });

  test("a table that does not fit shows the latest changes, and never scrolls", async () => {
    const name = await space("tall");
    for (let at = 0; at < 12; at++) await create(name, `row-${at}`, { labels: { long: "x".repeat(60) } });
    const { screen, unseen } = await ctl(`get cm -n ${name} -w --show-labels`, {
      rows: 8,
      columns: 60,
      steps: [
        { until: "more", act: () => create(name, "zz") },
        { until: "zz", send: interrupt },
      ],
    });
    expect(unseen).toEqual([]);
    expect(screen.filter((line) => !line.includes("^C")).length).toBeLessThanOrEqual(7);
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(screen.join("\n")).toMatch(/zz(.|\n)*… and \d+ more, which changed before these/);
  });

  test("get -w --diff shows the differences of each change", async () => {
    const name = await space("changes");
    await create(name, "settings");
    const { text, unseen } = await ctl(`get cm -n ${name} -w --diff`, {
      steps: [
        {
          until: "configmap/settings",
          act: () => send("PATCH", `${name}/configmaps/settings`, { data: { a: "new" } }),
        },
        { until: "+  a: new", send: interrupt },
      ],
    });
    expect(unseen).toEqual([]);
    expect(text).toMatch(/MODIFIED configmap\/settings/);
  });

  test("only abnormal cells are coloured, and none with NO_COLOR", async () => {
    const name = await space("colour");
    await send("POST", `${name}/pods`, {
      metadata: { name: "pending" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const { text } = await ctl(`get pods -n ${name}`);
    expect(text.match(colour)).toHaveLength(4);
    const [yellow, plain] = ["\u001b[33m", "\u001b[0m"];
    expect(text.replaceAll(/ +/g, " ")).toContain(`pending ${yellow}0/1${plain} ${yellow}Pending${plain} 0 `);
    expect((await ctl(`get pods -n ${name}`, { env: { NO_COLOR: "1" } })).text.match(colour)).toBeNull();
  });

  test("a deletion and a wait show what they wait for, and an apply of many files its progress", async () => {
    const name = await space("progress");
    await create(name, "stuck", { finalizers: ["example.com/hold"] });
    const deleted = await ctl(`delete cm stuck -n ${name}`, {
      steps: [
        {
          until: "waiting for configmap/stuck to be deleted: its finalizers are example.com/hold",
          act: () => send("PATCH", `${name}/configmaps/stuck`, { metadata: { finalizers: null } }),
        },
      ],
    });
    expect(deleted).toMatchObject({ code: 0, unseen: [], screen: ['configmap "stuck" deleted'] });
    await create(name, "slow");
    const waited = await ctl(`wait --for=jsonpath={.data.a}=1 cm/slow -n ${name} --timeout=40s`, {
      steps: [
        {
          until: "waiting for jsonpath={.data.a}=1 of configmaps/slow",
          act: () => send("PATCH", `${name}/configmaps/slow`, { data: { a: "1" } }),
        },
      ],
    });
    expect(waited).toMatchObject({ code: 0, unseen: [], screen: ["configmap/slow condition met"] });
    const one = (at: number) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: many-${at}}\n`;
    const many = file("many.yaml", Array.from({ length: 10 }, (_, at) => one(at)).join("---\n"));
    const applied = await ctl(`apply -f ${many} -n ${name}`);
    expect(applied.text).toContain("applying 10 of 10");
    expect(applied.screen).toEqual(Array.from({ length: 10 }, (_, at) => `configmap/many-${at} created`));
  });

  test("edit shows a refusal, asks, gives the editor the terminal again, and keeps an abandoned draft", async () => {
    const name = await space("editing");
    await create(name, "settings");
    // The first time it breaks the object, the second time it asks the person what to write.
    const editor = file(
      "editor.sh",
      `#!/bin/sh\nif [ -e "${folder}/again" ]; then printf 'value? '; read value; sed -i "s/^metadata:/data: {a: $value}\\nmetadata:/; /^immutable:/d" "$1"\nelse touch "${folder}/again"; echo 'immutable: sure' >> "$1"; fi\n`,
    );
    chmodSync(editor, 0o755);
    const saved = await ctl(`edit cm settings -n ${name}`, {
      env: { EDITOR: editor, SHELL: "/bin/sh" },
      steps: [
        { until: "Edit again? [Y/n]", send: "y\n" },
        { until: "value? ", send: "typed\n" },
      ],
    });
    expect(saved).toMatchObject({ code: 0, unseen: [] });
    expect(saved.screen.at(-1)).toBe("configmap/settings edited");
    expect(saved.text).toMatch(/immutable/);
    rmSync(join(folder, "again"));
    const left = await ctl(`edit cm settings -n ${name}`, {
      env: { EDITOR: editor, SHELL: "/bin/sh" },
      steps: [{ until: "Edit again? [Y/n]", send: "n\n" }],
    });
    const draft = /your draft is in (\S+)/.exec(left.text)?.[1] ?? "";
    expect([left.code, existsSync(draft)]).toEqual([1, true]);
    expect(readFileSync(draft, "utf8")).toContain("immutable: sure");
  });

  test("prune asks before it deletes, and an interrupt at the prompt ends the command", async () => {
    const name = await space("pruning");
    const manifest = (names: readonly string[]) =>
      file(
        "prune.yaml",
        names
          .map((one) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${one}, labels: {app: a}}\n`)
          .join("---\n"),
      );
    await ctl(`apply -f ${manifest(["keep", "drop"])} -n ${name}`);
    const prune = (answer: string) =>
      ctl(`apply -f ${manifest(["keep"])} -n ${name} --prune -l app=a`, {
        steps: [{ until: "Delete it? [y/N]", send: answer }],
      });
    expect(await prune(interrupt)).toMatchObject({ code: 130, unseen: [] });
    expect(await prune("\n")).toMatchObject({ code: 1, unseen: [] });
    const done = await prune("y\n");
    expect(done.code).toBe(0);
    expect(done.screen.at(-1)).toBe("configmap/drop pruned");
  });

  test("escape sequences from the server are shown, never executed", async () => {
    const name = await space("hostile");
    const escapes = "\u001b[2J\u001b]52;c;aGk=\u0007\u009b31m\u202e";
    await send("POST", `${name}/configmaps`, {
      metadata: { name: "trap", annotations: { a: escapes } },
      data: { k: escapes },
    });
    const changed = file(
      "trap.yaml",
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: trap, namespace: ${name}}\ndata: {k: "\\e[3J\\u202e"}\n`,
    );
    for (const line of [
      `get cm trap -n ${name} -o yaml`,
      `get cm trap -n ${name} -o jsonpath={.data.k}`,
      `get cm trap -n ${name} -o csv -L a`,
      `describe cm trap -n ${name}`,
      `diff -f ${changed}`,
      `blame cm trap -n ${name}`,
    ]) {
      const { text } = await ctl(line);
      expect([line, dangerous.exec(text.replaceAll(colour, ""))?.[0]]).toEqual([line, undefined]);
    }
  });
});
