/** `ctl` as kubectl on workloads, with controllers: apply, rollout, scale, set, expose, wait, prune. */

import { describe, test } from "vitest";
import { openSession, type Session } from "../../src/ctl/session.suite.ts";
import { eventually, follow } from "./ctl-transcript.ts";

const mill = (image: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: mill, labels: {grain: rye}}
spec:
  replicas: 2
  selector: {matchLabels: {app: mill}}
  template:
    metadata: {labels: {app: mill}}
    spec: {containers: [{name: stone, image: "${image}", ports: [{containerPort: 80}]}, {name: wheel, image: wheels/oak}]}
`;
const service = (name: string) => `apiVersion: v1
kind: Service
metadata: {name: ${name}, labels: {set: pair}}
spec: {selector: {app: mill}, ports: [{port: 80}]}
`;

const openMill = (): Promise<Session> => openSession("kubectl", { controllers: ["*"] });

describe("ctl as kubectl, with controllers", () => {
  test("a rollout has a history, can be undone, paused and restarted", async () => {
    await using session = await openMill();
    session.file("one.yaml", mill("stones/flint:1"));
    session.file("two.yaml", mill("stones/flint:2"));
    await follow(session, [
      { run: "apply -f one.yaml --record", out: "deployment.apps/mill created\n" },
      { run: "apply -f one.yaml --record", out: "deployment.apps/mill unchanged\n" },
    ]);
    await eventually(session, "get rs -o jsonpath={.items[*].status.replicas}", "2");
    await follow(session, [{ run: "apply -f two.yaml --record", out: "deployment.apps/mill configured\n" }]);
    await eventually(session, "rollout history deployment/mill", /\n1 .*one\.yaml.*\n2 .*two\.yaml/);
    await follow(session, [
      {
        run: "rollout history deployment --revision=1",
        out: /with revision #1\nPod Template:[\s\S]*flint:1[\s\S]*\n\n$/,
      },
      { run: "rollout history deployment --revision=9", code: 1, err: /unable to find the specified revision/ },
      {
        run: "rollout undo deployment --dry-run=client",
        out: /^deployment.apps\/mill Pod Template:[\s\S]*flint:1[\s\S]*\(dry run\)\n$/,
      },
      {
        run: "rollout undo deployment --to-revision=1000",
        code: 1,
        err: /unable to find specified revision 1000 in history/,
      },
      { run: "rollout undo deployment mill", out: "deployment.apps/mill rolled back\n" },
      { run: "get deployment mill -o jsonpath={.spec.template.spec.containers[0].image}", out: "stones/flint:1" },
      { run: "rollout pause deployment mill", out: "deployment.apps/mill paused\n" },
      { run: "rollout pause deployment mill", code: 1, err: /deployments.apps "mill" is already paused/ },
      { run: "rollout undo deployment mill", code: 1, err: /you cannot rollback a paused deployment/ },
      {
        run: "rollout restart deployment mill",
        code: 1,
        err: /can't restart paused deployment \(run rollout resume first\)/,
      },
      { run: "rollout resume deployment mill", out: "deployment.apps/mill resumed\n" },
      { run: "rollout restart deployment mill", out: "deployment.apps/mill restarted\n" },
      { run: "rollout status deployment mill --revision=1", code: 1, err: /different from the running revision/ },
      { run: "describe deployment mill", out: /NewReplicaSet:\s+mill-/ },
    ]);
  });

  test("sizes, images, environments and accounts are set", async () => {
    await using session = await openMill();
    session.file("mill.yaml", mill("stones/flint"));
    session.file("env.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {key-1: a, key-2: b}\n");
    await follow(session, [
      { run: "create -f mill.yaml -f env.yaml" },
      { run: "scale --current-replicas=2 --replicas=3 deployment/mill", out: "deployment.apps/mill scaled\n" },
      {
        run: "scale --current-replicas=2 --replicas=1 deployment/mill",
        code: 1,
        err: /Expected replicas to be 2, was 3/,
      },
      { run: "scale --replicas=1 -f mill.yaml", out: "deployment.apps/mill scaled\n" },
      { run: "set image deployments --all *=stones/lava", out: "deployment.apps/mill image updated\n" },
      { run: "set image deployment mill *=stones/lava", out: "" },
      { run: "set image deployment mill sail=x", code: 1, err: /unable to find container named "sail"/ },
      { run: "set image deployment mill", code: 1, err: "error: at least one image update is required\n" },
      { run: "set image -f mill.yaml stone=x --local -o yaml", out: /image: x\n/ },
      {
        run: "set image deployment mill stone=x --local",
        code: 1,
        err: /must specify resources by --filename when --local/,
      },
      { run: "set env deployment mill --from=configmap/env --keys=key-2", out: "deployment.apps/mill env updated\n" },
      { run: "set env deployment mill -", input: "WIND=north\n# a note\n", out: "deployment.apps/mill env updated\n" },
      { run: "set env deployment mill --list", out: /# KEY_2 from configmap env, key key-2\nWIND=north\n/ },
      { run: "set env deployment mill WIND-", out: "deployment.apps/mill env updated\n" },
      { run: "set resources deployment mill -c=stone --limits=cpu=100m", out: /resource requirements updated/ },
      {
        run: "set resources deployment mill -c=sail --limits=cpu=1",
        code: 1,
        err: /unable to find container named sail/,
      },
      {
        run: "set serviceaccount deployment/mill miller --dry-run=client",
        out: "deployment.apps/mill serviceaccount updated (dry run)\n",
      },
      { run: "autoscale deployment mill", code: 1, err: 'Error: required flag(s) "max" not set\n' },
      { run: "autoscale deployment mill --max=3", out: "horizontalpodautoscaler.autoscaling/mill autoscaled\n" },
      { run: "get hpa.autoscal -o jsonpath={.items[0].apiVersion}", out: "autoscaling/v1" },
      { run: "describe hpa mill", out: /Deployment pods:/ },
    ]);
  });

  test("services are exposed from local files, and their selector can be changed", async () => {
    await using session = await openMill();
    session.file("mill.yaml", mill("stones/flint"));
    session.file("loose.yaml", mill("x").replace("  selector: {matchLabels: {app: mill}}\n", ""));
    session.file(
      "long.yaml",
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${"m".repeat(70)}, labels: {a: b}}\nspec: {containers: [{name: c, image: i}]}\n`,
    );
    await follow(session, [
      { run: "expose -f mill.yaml --port=80", out: "service/mill exposed\n" },
      { run: "expose -f loose.yaml --port=80", code: 1, err: /invalid deployment: no selectors/ },
      { run: "expose -f long.yaml --port=80", out: `service/${"m".repeat(63)} exposed\n` },
      { run: "expose service mill --name=mill-2", out: "service/mill-2 exposed\n" },
      { run: "expose node x --port=1", code: 1, err: /not found|cannot expose/ },
      { run: "set selector service mill app=other --resource-version=1", code: 1, err: /\(Conflict\)/ },
      { run: "set selector service mill app=other", out: "service/mill selector updated\n" },
      { run: "run grist --image=grain --port=80 --expose", out: "service/grist created\npod/grist created\n" },
      { run: "run grist --image=Grain/Sack:x:y", code: 1, err: /Invalid image name/ },
      { run: "get pod grist -o jsonpath={.metadata.managedFields[0].manager}", out: "kubectl-run" },
    ]);
  });

  test("apply prunes objects that its selector no longer finds, and restores an object that a forced apply cannot replace", async () => {
    await using session = await openMill();
    session.file("a.yaml", service("a"));
    session.file("b.yaml", service("b"));
    session.file("both.yaml", `${service("a")}---\n${service("b")}`);
    session.file("broken.yaml", mill("stones/flint").replace("matchLabels: {app: mill}", "matchLabels: {app: other}"));
    session.file("mill.yaml", mill("stones/flint"));
    session.file("stale.yaml", mill("stones/flint").replace("name: mill,", 'name: mill, resourceVersion: "9",'));
    await follow(session, [
      { run: "apply -l set=pair -f both.yaml", out: "service/a created\nservice/b created\n" },
      { run: "apply -l set=none -f both.yaml", code: 1, err: /no objects passed to apply/ },
      {
        run: "apply --prune -f a.yaml",
        code: 1,
        err: /all resources selected for prune without explicitly passing --all/,
      },
      { run: "apply --prune -l set=pair -f a.yaml", out: "service/a unchanged\nservice/b pruned\n" },
      { run: "apply --prune -l set=pair -f b.yaml --prune-whitelist=core/v1/ConfigMap", out: "service/b created\n" },
      { run: "get services -l set=pair -o jsonpath={.items[*].metadata.name}", out: "a b" },
      { run: "apply -n elsewhere -f a.yaml", code: 1, err: /namespaces "elsewhere" not found/ },
      { run: "apply -f mill.yaml" },
      {
        run: "apply -f stale.yaml",
        code: 1,
        err: /^Error from server \(Conflict\): error when applying patch:\n\{.*\}\nto:\nResource: "apps\/v1, Resource=deployments"/,
      },
      { run: "apply -f broken.yaml --force", code: 1, err: /Invalid value/ },
      { run: "get deployment mill -o jsonpath={.spec.selector.matchLabels.app}", out: "mill" },
      { run: "create -l set=other -f both.yaml", code: 1, err: /no objects passed to create/ },
    ]);
  });

  test("wait handles deletions, conditions and its timeout", async () => {
    await using session = await openMill();
    session.file("mill.yaml", mill("stones/flint"));
    await follow(session, [{ run: "create -f mill.yaml" }]);
    const waiting = session.run("wait deployment --for=delete --all");
    await follow(session, [
      {
        run: "wait --for=condition=Available deployment/mill --timeout=100ms",
        code: 1,
        err: /timed out waiting for the condition on deployments\/mill/,
      },
      { run: "delete deployment --all", out: 'deployment.apps "mill" deleted\n' },
    ]);
    const { code, out } = await waiting;
    if (code !== 0 || out !== "deployment.apps/mill condition met\n") throw new Error(`${code} ${out}`);
    await follow(session, [
      { run: "wait --for=delete pod/none --timeout=1s", code: 1, err: "error: no matching resources found\n" },
      { run: "create ns meadow" },
      { run: "delete ns meadow", out: 'namespace "meadow" deleted\n' },
      { run: "get ns meadow", code: 1, err: /namespaces "meadow" not found/ },
      { run: "create clusterrole r --verb=get --resource=pods" },
      {
        run: "delete clusterrole r -n default",
        out: /"r" deleted/,
        err: /^warning: deleting cluster-scoped resources/,
      },
    ]);
  });
});
