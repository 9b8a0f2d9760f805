import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { orch } from "../../vocabulary/orch.ts";
import { checkImageReviews, readAdmissionConfiguration } from "./read-admission-configuration.ts";
import { createIsServed } from "./runtime-config.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-admission-"));
afterAll(() => rmSync(folder, { recursive: true }));

const head = "apiVersion: apiserver.config.orch.io/v1\nkind: AdmissionConfiguration\n";
const warnings: string[] = [];
function read(name: string, text?: string) {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return readAdmissionConfiguration({ "admission-control-config-file": path }, orch, (sentence) => {
    warnings.push(sentence);
  });
}

test("without the flag no plugin is configured", async () => {
  const of = await readAdmissionConfiguration({ "admission-control-config-file": "" }, orch, () => {});
  expect(of("PodNodeSelector")).toBeUndefined();
});

test("a file names a file beside it", async () => {
  writeFileSync(join(folder, "selector.yaml"), "podNodeSelectorPluginConfig: {a: b=c}");
  const of = await read("one.yaml", `${head}plugins: [{name: PodNodeSelector, path: selector.yaml}]`);
  expect(of("PodNodeSelector")?.value).toEqual({ podNodeSelectorPluginConfig: { a: "b=c" } });
});

test("a file of the former version is read with a warning that names the current one", async () => {
  const plugins = "plugins: [{name: PodNodeSelector, configuration: {}}]";
  const former = `apiVersion: apiserver.orch.io/v1alpha1\nkind: AdmissionConfiguration\n${plugins}`;
  expect((await read("former.yaml", former))("PodNodeSelector")?.value).toEqual({});
  await read("current.yaml", head + plugins);
  expect(warnings).toEqual([
    `${join(folder, "former.yaml")}: AdmissionConfiguration of apiserver.orch.io/v1alpha1 is deprecated; use apiserver.config.orch.io/v1`,
  ]);
});

test("an unreadable file is an error that names the flag and the file", async () => {
  await expect(read("missing.yaml")).rejects.toThrow(/^--admission-control-config-file: cannot read .*missing.yaml/);
  const text = `${head}plugins: [{name: PodNodeSelector, path: gone.yaml}]`;
  await expect(read("two.yaml", text)).rejects.toThrow(/cannot read .*gone.yaml: there is no such file/);
  await expect(read("three.yaml", `${head}plugins: [{name: PodNodeSelektor}]`)).rejects.toThrow(
    /there is no admission plugin "PodNodeSelektor"/,
  );
});

test("the image policy plugin needs its alpha version turned on, since its reviews use it", () => {
  const off = createIsServed(new Map());
  const on = createIsServed(new Map([["imagepolicy.orch.io/v1alpha1", "true"]]));
  expect(() => checkImageReviews(["ImagePolicyWebhook"], off, orch)).toThrow(
    "admission plugin ImagePolicyWebhook needs --runtime-config=imagepolicy.orch.io/v1alpha1=true",
  );
  checkImageReviews(["ImagePolicyWebhook"], on, orch);
  checkImageReviews([], off, orch);
});
