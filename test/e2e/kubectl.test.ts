import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubectlSession, openKubectlSession } from "./kubectl-session.ts";
import { describeWith, kubectl, kubectlPath, run } from "./programs.ts";

describeWith(kubectl, "a session with kubectl", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await openKubectlSession();
  });
  afterAll(() => session?.close());
  const ctl = (args: string, input = "") => session.ctl(args, { input });

  const manifest = (text: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: greeting, labels: {team: a}}
data: {text: ${text}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  serviceAccountName: default
  automountServiceAccountToken: false
  containers:
  - {name: main, image: "registry.example/web:1"}
`;

  test("version shows both sides", async () => {
    const version = JSON.parse(await ctl("version -o json"));
    expect(version.serverVersion).toMatchObject({ major: "1", minor: "21" });
  });

  test("api-resources lists kinds with their short names and groups", async () => {
    const lines = (await ctl("api-resources")).split("\n").map((line) => line.split(/\s+/));
    expect(lines).toContainEqual(expect.arrayContaining(["configmaps", "cm", "v1", "true", "ConfigMap"]));
    expect(lines).toContainEqual(expect.arrayContaining(["cronjobs", "cj", "batch/v1", "true", "CronJob"]));
  });

  test("explain documents fields and nested ones", async () => {
    expect(await ctl("explain configmap")).toContain("binaryData");
    expect(await ctl("explain pod.spec.containers")).toContain("imagePullPolicy");
    expect(await ctl("explain pod.spec.containers.imagePullPolicy")).toContain("Always, Never or IfNotPresent");
  });

  test("create, get, get -o yaml, replace, watch and delete", async () => {
    expect(await ctl("create -f -", manifest("hello"))).toBe("configmap/greeting created\npod/web created\n");
    expect(await ctl("get configmaps greeting --no-headers")).toMatch(/^greeting +1 +\d+s\n$/);
    expect(await ctl("get pods --no-headers")).toMatch(/^web +0\/1 +Pending +0 +\d+s\n$/);
    const yaml = await ctl("get configmap greeting -o yaml");
    expect(yaml).toContain("data:\n  text: hello\n");
    expect(yaml).toContain("manager: kubectl-create");

    const watch = spawn(kubectlPath, ["get", "configmaps", "-w", "-o", 'jsonpath={.data.text}{"\\n"}'], {
      env: { ...process.env, ...session.env },
    });
    const seen = new Promise<string[]>((done, fail) => {
      let text = "";
      const timer = setTimeout(() => fail(new Error(`the watch had shown ${JSON.stringify(text)}`)), 20_000);
      watch.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (!text.includes("good morning")) return;
        clearTimeout(timer);
        done(text.trim().split("\n"));
      });
    });
    try {
      expect(await ctl("replace -f -", manifest("good morning"))).toBe(
        "configmap/greeting replaced\npod/web replaced\n",
      );
      expect((await seen).at(-1)).toBe("good morning");
    } finally {
      watch.kill();
    }
    expect(await ctl("get configmaps -l team=a -o name")).toBe("configmap/greeting\n");
    expect(await ctl("delete configmap greeting")).toBe('configmap "greeting" deleted\n');
    expect(await ctl("delete pod web --wait=false")).toBe('pod "web" deleted\n');
    expect(await ctl("get configmaps greeting --ignore-not-found -o name")).toBe("");
  });

  test("an unknown field is reported before the request", async () => {
    const input = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\nbogus: 1\n";
    const { code, stderr } = await run(kubectlPath, ["create", "-f", "-"], { env: session.env, input });
    expect(code).toBe(1);
    expect(stderr).toContain('unknown field "bogus"');
  });

  test("apply owns the fields that it sets, and a second apply changes nothing", async () => {
    const input = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata: {a: b}\n";
    expect(await ctl("apply --server-side -f -", input)).toBe("configmap/applied serverside-applied\n");
    const before = await ctl("get configmap applied -o jsonpath={.metadata.resourceVersion}");
    await ctl("apply --server-side -f -", input);
    expect(await ctl("get configmap applied -o jsonpath={.metadata.resourceVersion}")).toBe(before);
  });
});
