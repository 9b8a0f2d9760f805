/** The shell commands of docs/testing.md and of the page for those who come from envtest, run as they are written, on one server. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entry, patching, saying } from "../../src/admission/webhooks/webhooks.suite.ts";
import { type HookServer, openHookServer } from "../../src/base/hook-server.suite.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { shellBlocks } from "./page-blocks.ts";
import { describeWith, jq, run } from "./programs.ts";

const page = "docs/testing.md";
const pages = [page, "docs/coming-from.md"];
/** These start servers of their own, or need more than a shell. */
const elsewhere: Readonly<Record<string, string>> = {
  "orch up --load": "test/e2e/up-load.test.ts",
  "orch up --from": "test/e2e/up-load.test.ts",
  KUBEBUILDER_ASSETS: "test/e2e/examples-compiled.test.ts",
};

const definition = {
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const maps = "/api/v1/namespaces/default/configmaps";
const headers = { "content-type": "application/json" };
const timeoutMs = 120_000;

describeWith(jq, "the shell commands of the pages", () => {
  const folder = mkdtempSync(join(tmpdir(), "orch-shell-"));
  let server: OrchServer;
  let hooks: HookServer;
  beforeAll(async () => {
    mkdirSync(join(folder, "config/crd"), { recursive: true });
    writeFileSync(join(folder, "config/crd/toys.json"), JSON.stringify(definition));
    symlinkSync(resolve("bin/ctl"), join(folder, "ctl"));
    hooks = await openHookServer(
      saying(() => patching({ op: "add", path: "/metadata/labels", value: { team: "red" } })),
    );
    server = await createServer({ forks: true, faultPlans: true, journal: true, controllers: false });
    await server.load(join(folder, "config/crd"));
    writeFileSync(join(folder, "client.conf"), (await server.clientConfig()).text, { mode: 0o600 });
  }, timeoutMs);
  afterAll(async () => {
    await server.close();
    await hooks.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const blocksRun: string[] = [];

  /** Runs the block that begins with these words, with more commands before and after it. */
  async function runBlock(begin: string, around: { readonly before?: string; readonly after?: string } = {}) {
    const block = shellBlocks(page).find((each) => each.startsWith(begin));
    if (block === undefined) throw new Error(`${page} does not show "${begin} ..." any more`);
    blocksRun.push(block);
    const script = ["set -eu", `cd ${folder}`, around.before ?? "", block.trimEnd(), around.after ?? ""].join("\n");
    const env = {
      PATH: `${folder}${delimiter}${process.env["PATH"]}`,
      HOME: folder,
      KUBECONFIG: join(folder, "client.conf"),
    };
    const { code, stdout, stderr } = await run("bash", ["-c", script], { env, timeoutMs });
    expect(code, stderr).toBe(0);
    return stdout;
  }

  test("a script makes a copy of the server, uses it and deletes it", async () => {
    const toy = JSON.stringify({ apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "ball" } });
    const path = "/apis/example.com/v1/namespaces/default/toys";
    expect((await server.fetch(path, { method: "POST", headers, body: toy })).status).toBe(201);
    expect(await runBlock('echo \'{"name"')).toMatch(/^NAME +AGE\nball +\S+\n/);
    expect(await (await server.fetch("/forks")).json()).toEqual({ forks: [] });
  });

  test("a plan is applied, and shown with its hits", async () => {
    const plan = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(page, "utf8"))?.[1] ?? "";
    writeFileSync(join(folder, "storm.yaml"), plan);
    expect(await runBlock("ctl apply -f storm.yaml")).toMatch(/faultplan\S*\/storm created\nNAME +ACTIVE +HITS/);
    await server.fetch("/apis/testing.orch.io/v1alpha1/faultplans/storm", { method: "DELETE" });
  });

  test("the journal is followed", async () => {
    const asController = { ...headers, "impersonate-user": "my-controller", "impersonate-group": "system:masters" };
    await server.fetch(`${maps}/absent`, { headers: asController });
    const printed = await runBlock("ctl journal -f", {
      before: `( ctl() { exec ${folder}/ctl "$@"; }`, // so that its end is the end of the command
      after: [
        ") > followed & follower=$!",
        "until grep -q absent followed; do kill -0 $follower; sleep 0.1; done",
        "kill $follower",
        "cat followed",
      ].join("\n"),
    });
    const shown =
      /^TIME +USER +VERB +CODE +DURATION +REQUEST\n\S+ +my-controller +get +404 +[\d.]+ms +\/api\/v1\/\S+\/absent\n/;
    expect(printed).toMatch(shown);
  });

  test("the journal shows what a webhook has changed, in the words of the page", async () => {
    const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
    const body = JSON.stringify({
      metadata: { name: "changes" },
      webhooks: [entry(hooks, "labels.example.org", { rules })],
    });
    const path = "/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations";
    expect((await server.fetch(path, { method: "POST", headers, body })).status).toBe(201);
    await server.fetch(maps, { method: "POST", headers, body: JSON.stringify({ metadata: { name: "made" } }) });
    const printed = await runBlock("ctl journal --verb=create");
    expect(printed).not.toBe("");
    expect(readFileSync(page, "utf8")).toContain(`\n${printed}`);
  });

  test("no command of the pages is left out", () => {
    const begins = Object.keys(elsewhere);
    const isElsewhere = (line: string) => begins.some((begin) => line.startsWith(begin));
    const all = pages.flatMap((each) => shellBlocks(each));
    expect(all.filter((block) => !block.trimEnd().split("\n").every(isElsewhere)).sort()).toEqual(blocksRun.sort());
    for (const [begin, file] of Object.entries(elsewhere)) expect(readFileSync(file, "utf8")).toContain(begin);
  });
});
