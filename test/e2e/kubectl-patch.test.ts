import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubectlSession, openKubectlSession } from "./kubectl-session.ts";
import { describeWith, kubectl, kubectlPath, run } from "./programs.ts";

describeWith(kubectl, "every way in which kubectl changes an object", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await openKubectlSession();
    const editor = join(session.folder, "editor");
    await writeFile(editor, '#!/bin/sh\nsed -i "s/image: web:.*/image: web:edited/" "$1"\n');
    await chmod(editor, 0o700);
    Object.assign(session.env, { EDITOR: editor, KUBE_EDITOR: editor });
    await ctl(["apply", "-f", "-"], deployment(1));
  });
  afterAll(() => session?.close());
  const ctl = (args: readonly string[], input = "", code = 0) => session.ctl(args, { input, code });

  const read = (path: string) => ctl(["get", "deployment", "web", "-o", `jsonpath={${path}}`]);
  const deployment = (replicas: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "web:1"}
`;

  test("apply changes the fields of the manifest, and diff shows them before", async () => {
    expect(await ctl(["diff", "-f", "-"], deployment(2), 1)).toMatch(/^-\s+replicas: 1$/m);
    expect(await ctl(["apply", "-f", "-"], deployment(2))).toBe("deployment.apps/web configured\n");
    expect(await read(".spec.replicas")).toBe("2");
    expect(await ctl(["apply", "-f", "-"], deployment(2))).toBe("deployment.apps/web unchanged\n");
  });

  test("apply of a manifest with another strategy removes the fields of the previous one", async () => {
    const recreate = deployment(2).replace("spec:\n", "spec:\n  strategy: {type: Recreate}\n");
    await ctl(["apply", "-f", "-"], recreate);
    expect(JSON.parse(await read(".spec.strategy"))).toEqual({ type: "Recreate" });
  });

  const patches = [
    {
      type: "strategic",
      patch: '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}',
      at: ".spec.template.spec.containers[*].name",
      shows: "side main",
    },
    { type: "merge", patch: '{"metadata":{"labels":{"tier":"front"}}}', at: ".metadata.labels.tier", shows: "front" },
    { type: "json", patch: '[{"op":"replace","path":"/spec/replicas","value":4}]', at: ".spec.replicas", shows: "4" },
  ];
  for (const { type, patch, at, shows } of patches) {
    test(`patch --type=${type}`, async () => {
      await ctl(["patch", "deployment", "web", `--type=${type}`, "-p", patch]);
      expect(await read(at)).toBe(shows);
    });
  }

  test("edit, label, annotate and replace", async () => {
    await ctl(["edit", "deployment", "web"]);
    expect(await read('.spec.template.spec.containers[?(@.name=="main")].image')).toBe("web:edited");
    await ctl(["label", "deployment", "web", "stage=test"]);
    await ctl(["annotate", "deployment", "web", "note=seen"]);
    expect(await read(".metadata.labels.stage")).toBe("test");
    expect(await read(".metadata.annotations.note")).toBe("seen");
    await ctl(["replace", "-f", "-"], deployment(7));
    expect(await read(".spec.replicas")).toBe("7");
  });

  test("apply --server-side names the other manager, and can be forced", async () => {
    const { code, stderr } = await run(kubectlPath, ["apply", "--server-side", "-f", "-"], {
      env: session.env,
      input: deployment(9),
    });
    expect(code).toBe(1);
    expect(stderr).toContain("conflict");
    await ctl(["apply", "--server-side", "--force-conflicts", "-f", "-"], deployment(9));
    expect(await read(".spec.replicas")).toBe("9");
  });
});
