/** Words that a shell offers, whatever stands before them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
  await session.ok("create namespace shop");
  await session.ok("create configmap acorn -n shop");
  await session.ok("run web --image=nginx -n shop");
  session.file("config", "contexts: [{name: production, context: {}}]\nusers: [{name: admin, user: {}}]\n");
});
afterAll(() => session[Symbol.asyncDispose]());

const cases: readonly { readonly line: string; readonly out: string }[] = [
  { line: "ge", out: "get\n" },
  { line: "-n shop get configmaps ac", out: "acorn\n" },
  { line: "get -n shop configmaps ac", out: "acorn\n" },
  { line: "get configmaps --namespace=sh", out: "--namespace=shop\n" },
  { line: "get configmaps --namespace = sh", out: "shop\n" },
  { line: "get configmaps -n sh", out: "shop\n" },
  { line: "get configmaps -o js", out: "json\njsonpath=\n" },
  { line: "get pod/w", out: "" },
  { line: "get -n shop pod/w", out: "pod/web\n" },
  { line: "logs -n shop w", out: "web\n" },
  { line: "exec -n shop web -c w", out: "web\n" },
  { line: "explain pod.spec.containers.livenessProbe.htt", out: "pod.spec.containers.livenessProbe.httpGet\n" },
  { line: "rollout und", out: "undo\n" },
  { line: "rollout undo deployments.a", out: "deployments.apps\n" },
  { line: "config use-context --kubeconfig FOLDER/config prod", out: "production\n" },
  { line: "get pods --kubeconfig=FOLDER/config --user ad", out: "admin\n" },
  { line: "completion po", out: "powershell\n" },
  { line: "apply --dry-run=se", out: "--dry-run=server\n" },
  { line: "nothing at all", out: "" },
];
for (const { line, out } of cases)
  test(line, async () => {
    expect(await session.ok(`__complete ${line.replace("FOLDER", session.folder)}`)).toBe(out);
  });
