/** `ctl` as kubectl on single objects: create, show, label, patch, replace, edit, delete. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { openSession, type Session } from "../../src/ctl/session.suite.ts";
import { follow } from "./ctl-transcript.ts";

const lamp = (name: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {room: hall}}
spec: {containers: [{name: bulb, image: lamps/bulb, resources: {limits: {cpu: 1, memory: 64Mi}}}]}
`;

const names = "go-template='{{range.items}}{{.metadata.name}}:{{end}}'";

async function openLamps(): Promise<Session> {
  const session = await openSession("kubectl");
  session.file("lamp.yaml", lamp("lamp"));
  session.file("two.yaml", `${lamp("lamp")}---\n${lamp("torch")}`);
  return session;
}

describe("ctl as kubectl, object by object", () => {
  test("an object that was read can be created again, and replaced by force", async () => {
    await using session = await openLamps();
    await follow(session, [
      { run: "create -f lamp.yaml", out: "pod/lamp created\n" },
      { run: "create -f lamp.yaml", code: 1, err: /\(AlreadyExists\): error when creating "lamp.yaml": pods "lamp"/ },
      { run: "get pods -o name", out: "pod/lamp\n" },
    ]);
    session.file("read.json", (await session.ok("get pod lamp -o json")).replaceAll("bulb", "candle"));
    await follow(session, [
      { run: "replace --force -f read.json", out: 'pod "lamp" deleted\npod/lamp replaced\n' },
      { run: "get pod lamp -o jsonpath={.spec.containers[0].name}", out: "candle" },
      { run: "replace --grace-period=1 -f read.json", code: 1, err: /--grace-period must have --force specified/ },
      { run: "replace --timeout=1s -f read.json", code: 1, err: /--timeout must have --force specified/ },
      { run: "delete -f lamp.yaml --now", out: 'pod "lamp" deleted\n' },
      { run: "create -f read.json", out: "pod/lamp created\n" },
      { run: "delete pods", code: 1, err: /no name, label selector, or --all flag specified/ },
      { run: "delete --all pods -l room=hall", code: 1, err: /setting 'all' parameter but found a non empty selector/ },
      {
        run: "delete pods -l'room in (hall)' --grace-period=0 --force",
        out: 'pod "lamp" force deleted\n',
        err: /^warning: Immediate/,
      },
      { run: `get pods -o ${names}`, out: "" },
    ]);
  });

  test("templates and paths see managed fields, whole objects omit them", async () => {
    await using session = await openLamps();
    await follow(session, [
      { run: "create -f lamp.yaml" },
      { run: "label pod lamp lit=yes", out: "pod/lamp labeled\n" },
      { run: "get pod lamp -o jsonpath={.metadata.managedFields[*].manager}", out: "kubectl-create kubectl-label" },
      { run: "get pod lamp -o yaml", out: /^(?!.*managedFields)/s },
      { run: "get pod lamp -o yaml --show-managed-fields", out: /managedFields/ },
      { run: "get pod lamp --template={{.metadata.labels.lit}}:", out: "yes:" },
      { run: "get pod lamp -o go-template={{.absent}}", out: "<no value>" },
      {
        run: "get pod lamp --allow-missing-template-keys=false -o go-template={{.absent}}",
        code: 1,
        out: /map has no entry for key "absent"/,
      },
      {
        run: "get pod lamp --allow-missing-template-keys=false -o jsonpath={.absent}",
        code: 1,
        err: /absent is not found/,
      },
    ]);
  });

  test("labels, annotations and records", async () => {
    await using session = await openLamps();
    await follow(session, [
      { run: "create -f lamp.yaml" },
      { run: "label pod lamp lit=yes" },
      { run: "label pod lamp lit=no", code: 1, err: /'lit' already has a value \(yes\), and --overwrite is false/ },
      { run: "label --overwrite pods --all lit=no", out: "pod/lamp labeled\n" },
      { run: "label pod lamp dim=1 --dry-run=client", out: "pod/lamp labeled\n" },
      { run: "label pod lamp dim=1 --dry-run=server", out: "pod/lamp labeled\n" },
      { run: 'annotate pods lamp note=""', out: "pod/lamp annotated\n" },
      { run: "get pod lamp -o go-template={{.metadata.annotations.note}}", out: "" },
      { run: "annotate --local -f lamp.yaml note=here -o yaml", out: /note: here/ },
      { run: "label pods lamp -f lamp.yaml", code: 1, err: /error/ },
      { run: "label pod lamp wet=yes --record", out: "pod/lamp labeled\n" },
      {
        run: "get pod lamp -o go-template='{{range .metadata.annotations}}{{.}}{{end}}'",
        out: "kubectl label pod lamp wet=yes --record=true",
      },
      { run: `patch pod lamp --record -p '{"metadata":{"labels":{"wet":"no"}}}'`, out: "pod/lamp patched\n" },
      {
        run: "get pod lamp -o go-template='{{range .metadata.annotations}}{{.}}{{end}}'",
        out: /^kubectl patch pod lamp --record=true --patch=/,
      },
    ]);
  });

  test("patches", async () => {
    await using session = await openLamps();
    await follow(session, [
      { run: "create -f lamp.yaml" },
      { run: `patch pod lamp -p '{"metadata":{"labels":{"room":"hall"}}}'`, out: "pod/lamp patched (no change)\n" },
      { run: `patch pod lamp -p '{"metadata":{"labels":"wet"}}'`, code: 1, err: /cannot restore map from string/ },
      {
        run: `patch pod lamp --type=json -p '[{"op":"replace","path":"/spec/containers/0/image","value":"led"}]'`,
        out: "pod/lamp patched\n",
      },
      { run: `patch pod lamp -p '{"metadata":{"resourceVersion":"987654321"}}'`, code: 1, err: /\(Conflict\)/ },
      {
        run: `patch --local -f lamp.yaml -p '{"spec":{"restartPolicy":"Never"}}' -o yaml`,
        out: /restartPolicy: Never/,
      },
      { run: "patch pod lamp -p {}", out: "pod/lamp patched (no change)\n" },
    ]);
  });

  test("an edit shows the object, prints its patch, and can be cancelled", async () => {
    await using session = await openLamps();
    const editor = { env: { EDITOR: join(session.folder, "dim.sh") } };
    writeFileSync(join(session.folder, "dim.sh"), '#!/bin/sh\nsed -i "s/lamps/dimmed/g; s/: hall/: attic/g" "$1"\n', {
      mode: 0o755,
    });
    await follow(session, [
      { run: "create -f lamp.yaml" },
      {
        run: "edit pod/lamp --output-patch",
        ...editor,
        out: /^Patch: \{.*"image":"dimmed\/bulb".*\}\npod\/lamp edited\n$/,
      },
      { run: "edit pod/lamp", env: { EDITOR: "true" }, out: "", err: "Edit cancelled, no changes made.\n" },
      { run: "create --edit -f two.yaml", env: { EDITOR: "true" }, err: "Edit cancelled, no changes made.\n" },
      { run: "delete pod lamp" },
      { run: "create --edit -f two.yaml", ...editor, out: "pod/lamp created\npod/torch created\n" },
      { run: "get pods -o jsonpath={.items[*].metadata.labels.room}", out: "attic attic" },
      {
        run: "edit -f two.yaml",
        env: { EDITOR: "sed -i s/attic/cellar/" },
        out: "pod/lamp edited\npod/torch edited\n",
      },
      { run: "get pods -o jsonpath={.items[*].metadata.labels.room}", out: "cellar cellar" },
      { run: "create --raw /api/v1/pods -f lamp.yaml --edit", code: 1, err: /--raw and --edit are mutually exclusive/ },
      { run: "delete pods --all --grace-period=0 --force", err: /^warning/ },
    ]);
  });

  test("a scalar is accepted for a string, a misspelt field is refused", async () => {
    await using session = await openLamps();
    session.file("typo.yaml", lamp("typo").replace("image:", "picture:"));
    await follow(session, [
      { run: "create -f lamp.yaml --dry-run=server", out: "pod/lamp created (server dry run)\n" },
      {
        run: "create -f typo.yaml",
        code: 1,
        err: /error validating "typo.yaml": error validating data: .*unknown field "picture"/,
      },
      { run: "create -f typo.yaml --validate=false", code: 1, err: /spec\.containers\[0\]\.image: Required value/ },
    ]);
  });

  test("raw paths of the server", async () => {
    await using session = await openLamps();
    session.file("map.json", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"},"data":{"k":"1"}}');
    const path = "/api/v1/namespaces/default/configmaps";
    await follow(session, [
      { run: `create --raw ${path} -f map.json`, out: /"uid"/ },
      { run: `replace --raw ${path}/raw -f map.json`, out: /"uid"/ },
      { run: `get --raw ${path}/raw`, out: /"k":\s*"1"/ },
      { run: `delete --raw ${path}/raw`, out: /Success/ },
      { run: `get --raw ${path}/raw`, code: 1, err: /configmaps "raw" not found/ },
      { run: "get --raw version", code: 1, err: /--raw must be a valid URL path/ },
      { run: `create --raw /api/v1/namespaces -f lamp.yaml`, code: 1, err: /must be of type Namespace/ },
    ]);
  });
});
