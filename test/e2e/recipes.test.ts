/** The recipes of deploy/ that nothing here can run: the rules that linters of Dockerfiles and manifests have, and the API's own. */

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Flags } from "../../src/base/flags/flag.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { decodeYaml } from "../../src/machinery/codec/yaml.ts";
import { apiserverFlags } from "../../src/main/flags/apiserver-flags.ts";
import { createServer } from "../../src/main/library.ts";

describe("the Dockerfile", () => {
  const lines = readFileSync("deploy/docker/Dockerfile", "utf8")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const all = (word: string) =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));

  test("names a tag of each image, and not the latest", () => {
    for (const image of all("FROM")) expect(image).toMatch(/^[\w./-]+:(?!latest)[\w.-]+( AS \w+)?$/);
  });

  test("begins with FROM, and uses only words that builders know", () => {
    expect(lines[0]).toMatch(/^FROM /);
    for (const line of lines)
      expect(line).toMatch(/^(FROM|WORKDIR|COPY|RUN|USER|VOLUME|EXPOSE|STOPSIGNAL|ENV|HEALTHCHECK|ENTRYPOINT|CMD) \S/);
  });

  test("copies and never adds, into absolute folders, and only what exists", () => {
    expect(all("ADD")).toEqual([]);
    for (const folder of all("WORKDIR")) expect(folder).toMatch(/^\//);
    const copied = all("COPY").filter((line) => !line.startsWith("--from="));
    for (const path of copied.flatMap((line) => line.split(" ").slice(0, -1)))
      expect(existsSync(path), path).toBe(true);
    for (const [, stage] of all("COPY").flatMap((line) => [...line.matchAll(/--from=(\w+)/g)]))
      expect(lines.join("\n")).toMatch(new RegExp(`^FROM .* AS ${stage}$`, "m"));
  });

  test("installs exactly what is locked, with no downloads by shell and no root tools", () => {
    const runs = all("RUN").join("\n");
    expect(runs).toMatch(/\bnpm ci\b/);
    expect(runs).not.toMatch(/\b(npm install|curl|wget|sudo|apt-get|apk|cd) /);
  });

  test("ends as a user without a name or rights, with one entry point, one command and a health check, all without a shell", () => {
    const words = last.map((line) => line.split(" ", 1)[0]);
    for (const word of ["USER", "ENTRYPOINT", "CMD", "HEALTHCHECK"])
      expect(
        words.filter((each) => each === word),
        word,
      ).toHaveLength(1);
    const user = last.find((line) => line.startsWith("USER ")) ?? "";
    expect(Number(user.split(" ")[1]?.split(":")[0])).toBeGreaterThan(0);
    expect(words.lastIndexOf("RUN")).toBeLessThan(words.indexOf("USER"));
    for (const word of ["ENTRYPOINT", "CMD", "HEALTHCHECK"])
      expect(last.find((line) => line.startsWith(word))).toMatch(/\["/);
  });
});

test("the manifests for a cluster are accepted by it, also in a namespace with the restricted profile", async () => {
  await using server = await createServer({ like: "kubernetes-1.37" });
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json" };
    const answer = await server.fetch(`${path}?fieldValidation=Strict`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      warning: answer.headers.get("warning"),
      body: answer.status < 300 ? "" : await answer.text(),
    };
  };
  const labels = {
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/warn": "restricted",
  };
  await post("/api/v1/namespaces", { metadata: { name: "orch", labels } });
  const accepted = { status: 201, warning: null, body: "" };
  const objects = readFileSync("deploy/kubernetes/orch.yaml", "utf8")
    .split(/^---$/m)
    .map((text) => decodeYaml(Buffer.from(text))) as {
    kind: string;
    spec: { template: { metadata: object; spec: { containers: { args: string[] }[] } } };
  }[];
  const paths: Record<string, string> = {
    Service: "/api/v1/namespaces/orch/services",
    StatefulSet: "/apis/apps/v1/namespaces/orch/statefulsets",
  };
  for (const each of objects) expect(await post(paths[each.kind] ?? "", each)).toEqual(accepted);
  const template = objects[1]!.spec.template;
  const pod = { ...template, metadata: { name: "orch-0", ...template.metadata } };
  (pod.spec as unknown as { volumes: object[] }).volumes.push({ name: "data", emptyDir: {} });
  expect(await post("/api/v1/namespaces/orch/pods", pod)).toEqual(accepted);
  const flags = template.spec.containers[0]!.args.slice(1);
  expect(parseFlags<Flags>(apiserverFlags, flags).warnings).toEqual([]);
});

test("the devcontainer names commands and folders that exist", () => {
  const text = readFileSync(".devcontainer/devcontainer.json", "utf8");
  const { postCreateCommand, forwardPorts } = JSON.parse(text) as { postCreateCommand: string; forwardPorts: number[] };
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const [, name = ""] of postCreateCommand.matchAll(/npm run (\S+)/g)) expect(scripts).toHaveProperty(name);
  for (const [, path = ""] of postCreateCommand.matchAll(/node (\S+)/g)) expect(existsSync(path)).toBe(true);
  expect(forwardPorts).toEqual([6443]);
});
