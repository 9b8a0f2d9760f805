import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { openSession, type Session } from "../session.suite.ts";

const cpu = '{"averageUtilization":80,"type":"Utilization"}';
const memory = '{"averageValue":"200Mi","type":"AverageValue"}';

let session: Session;
beforeAll(async () => {
  session = await openSession();
});
afterAll(() => session[Symbol.asyncDispose]());

const deployment = (image: string, extra = "") => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: ${image}${extra}}]}}
`;

const image = () => session.ok(["get", "deploy", "web", "-o", "jsonpath={.spec.template.spec.containers[*].image}"]);

describe("a client-side apply", () => {
  test("creates, skips and changes objects, and removes fields that the manifest no longer has", async () => {
    session.file("web.yaml", deployment("nginx:1", ", env: [{name: A, value: b}]"));
    expect(await session.ok("apply -f web.yaml")).toBe("deployment.apps/web created\n");
    expect(await session.ok("apply -f web.yaml")).toBe("deployment.apps/web unchanged\n");
    await session.ok("set env deploy/web OTHER=kept");
    session.file("web.yaml", deployment("nginx:2", ", env: [{name: C, value: d}]"));
    expect(await session.ok("apply -f web.yaml")).toBe("deployment.apps/web configured\n");
    expect(await image()).toBe("nginx:2");
    expect(await session.ok(["get", "deploy/web", "-o", "jsonpath={..env[*].name}"])).toBe("C OTHER");
    // An item of somebody else is among those of the manifest, so that the order is sent again.
    expect(await session.ok("apply -f web.yaml")).toBe("deployment.apps/web configured\n");
  });
  test("changes the source of a volume", async () => {
    const template = (source: string) =>
      deployment("x").replace("containers:", `volumes: [{name: v, ${source}}], containers:`).replaceAll("web", "vol");
    session.file("vol.yaml", template("emptyDir: {}"));
    await session.ok("apply -f vol.yaml");
    session.file("vol.yaml", template("configMap: {name: settings}"));
    expect(await session.ok("apply -f vol.yaml")).toBe("deployment.apps/vol configured\n");
    const shown = await session.ok(["get", "deploy/vol", "-o", "jsonpath={.spec.template.spec.volumes[0]}"]);
    expect(JSON.parse(shown)).toEqual({ name: "v", configMap: { name: "settings", defaultMode: 420 } });
    expect(await session.ok("apply -f vol.yaml")).toBe("deployment.apps/vol unchanged\n");
  });
  test("refuses misspelt fields with their position", async () => {
    session.file("bad.yaml", deployment("x", ", imagee: y"));
    const { code, err } = await session.run("apply -f bad.yaml");
    expect(code).toBe(1);
    expect(err).toBe(
      'error: error validating "bad.yaml": error validating data: ValidationError(Deployment.spec.template.spec.containers[0]): unknown field "imagee" in io.k8s.api.core.v1.Container; if you choose to ignore these errors, turn validation off with --validate=false\n',
    );
  });
  test("prunes objects that are no longer in the files", async () => {
    session.file(
      "two.yaml",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: keep, labels: {set: p}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: drop, labels: {set: p}}\n",
    );
    await session.ok("apply -f two.yaml");
    session.file("one.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: keep, labels: {set: p}}\n");
    expect(await session.ok("apply -f one.yaml --prune -l set=p")).toBe(
      "configmap/keep unchanged\nconfigmap/drop pruned\n",
    );
  });
  test("reports invalid YAML with file and line", async () => {
    session.file("broken.yaml", "# nothing\n# here\n---\na: [1\nb: }\n");
    const { code, err } = await session.run("apply -f broken.yaml");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error: error parsing broken\.yaml: error converting YAML to JSON: yaml: .*line 5/),
    ]);
    session.file(
      "bomb.yaml",
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[..."bcdefgh"].map((name, at) => `${name}: &${name} [${Array(10).fill(`*${"abcdefgh"[at]}`).join(",")}]`).join("\n")}\n`,
    );
    expect((await session.run("apply -f bomb.yaml")).err).toContain("error parsing bomb.yaml");
  });
});

describe("changes of one object", () => {
  const steps: readonly { readonly line: string; readonly out?: string; readonly err?: string }[] = [
    { line: "create configmap c --from-literal=a=b", out: "configmap/c created\n" },
    { line: "create configmap c", err: 'error: failed to create configmap: configmaps "c" already exists\n' },
    { line: "create configmap d --from-literal=a=b --dry-run=client", out: "configmap/d created (dry run)\n" },
    { line: "create configmap d --from-literal=a=b --dry-run=server", out: "configmap/d created (server dry run)\n" },
    { line: "get configmap d", err: 'Error from server (NotFound): configmaps "d" not found\n' },
    { line: "label cm c x=y", out: "configmap/c labeled\n" },
    { line: "label cm c x=z", err: "error: 'x' already has a value (y), and --overwrite is false\n" },
    { line: "label cm c x=z --overwrite", out: "configmap/c labeled\n" },
    { line: "label cm c x=z --overwrite", out: "configmap/c not labeled\n" },
    { line: "label cm c x- nope-", out: 'label "nope" not found.\nconfigmap/c labeled\n' },
    { line: "annotate cm c n=m", out: "configmap/c annotated\n" },
    { line: "patch cm c --type=merge -p {data:{q:w}}", err: "error: must specify -p to patch" },
    { line: 'patch cm c -p {"data":{"q":"w"}}', out: "configmap/c patched\n" },
    { line: 'patch cm c -p {"data":{"q":"w"}}', out: "configmap/c patched (no change)\n" },
    { line: 'patch cm c --type=json -p [{"op":"remove","path":"/data/q"}]', out: "configmap/c patched\n" },
    { line: "patch cm c --type=odd -p {}", err: 'error: --type must be one of [json merge strategic], not "odd"\n' },
    { line: "delete cm c", out: 'configmap "c" deleted\n' },
    { line: "delete cm c", err: 'Error from server (NotFound): configmaps "c" not found\n' },
    { line: "delete cm c --ignore-not-found" },
    {
      line: "delete cm",
      err: "error: resource(s) were provided, but no name, label selector, or --all flag specified\n",
    },
    { line: "create role r --verb=get --resource=pods,deployments", out: "role.rbac.authorization.k8s.io/r created\n" },
    {
      line: "create clusterrolebinding b --clusterrole=view --user=x",
      out: "clusterrolebinding.rbac.authorization.k8s.io/b created\n",
    },
    { line: "create rolebinding b", err: "error: exactly one of clusterrole or role must be specified\n" },
    { line: "create deployment dep --image=nginx --replicas=2", out: "deployment.apps/dep created\n" },
    {
      line: "create deployment dep",
      err: 'Error: required flag(s) "image" not set\n',
    },
    { line: "scale deployment/dep --replicas=3", out: "deployment.apps/dep scaled\n" },
    {
      line: "scale deployment/dep --replicas=3 --current-replicas=2",
      err: "error: Expected replicas to be 2, was 3\n",
    },
    { line: "set image deployment/dep nginx=nginx:2", out: "deployment.apps/dep image updated\n" },
    { line: "set image deployment/dep --all nginx=nginx:3", out: "deployment.apps/dep image updated\n" },
    { line: "set image deployments -l app=dep nginx=nginx:4", out: "deployment.apps/dep image updated\n" },
    { line: "label deployment/dep --all a=b", out: "deployment.apps/dep labeled\n" },
    {
      line: "set image deployment/dep -l a=b nginx=nginx:5",
      err: "error: selectors and the all flag cannot be used when passing resource/name arguments\n",
    },
    { line: "set image deployment/dep none=nginx:2", err: 'error: unable to find container named "none"\n' },
    {
      line: "set resources deployment/dep --limits=cpu=200m",
      out: "deployment.apps/dep resource requirements updated\n",
    },
    { line: "set serviceaccount deployment/dep robot", out: "deployment.apps/dep serviceaccount updated\n" },
    { line: "rollout pause deployment/dep", out: "deployment.apps/dep paused\n" },
    { line: "rollout pause deployment/dep", err: 'error: deployments.apps "dep" is already paused\n' },
    { line: "rollout resume deployment/dep", out: "deployment.apps/dep resumed\n" },
    { line: "rollout restart deployment/dep", out: "deployment.apps/dep restarted\n" },
    {
      line: "rollout undo deployment/dep --to-revision=1000",
      err: "error: unable to find specified revision 1000 in history\n",
    },
    { line: "expose deployment dep --port=80", out: "service/dep exposed\n" },
    { line: "autoscale deployment dep --max=3", out: "horizontalpodautoscaler.autoscaling/dep autoscaled\n" },
    {
      // v1.21 stores the share of CPU as v1 does, apart from other metrics. Later releases store v2.
      line: "autoscale deployment dep --name=m --max=3 --cpu=80% --memory=200Mi --dry-run=server -o jsonpath={.spec.metrics[*].resource.target}",
      out: (levelDefault === "1.21" ? [memory, cpu] : [cpu, memory]).join(" "),
    },
    {
      line: "autoscale deployment dep --max=3 --memory=0",
      err: 'error: --memory must be a percentage such as 80% or a positive quantity, not "0"\n',
    },
    {
      line: "autoscale deployment dep --max=3 --cpu=80% --cpu-percent=80",
      err: "error: --cpu and --cpu-percent cannot be used together; use --cpu with a percentage\n",
    },
    {
      line: "delete deployment/dep service/dep hpa/dep",
      out: 'deployment.apps "dep" deleted\nservice "dep" deleted\nhorizontalpodautoscaler.autoscaling "dep" deleted\n',
    },
    { line: "run p --image=busybox --dry-run=client", out: "pod/p created (dry run)\n" },
    { line: "run p", err: 'Error: required flag(s) "image" not set\n' },
    { line: "auth can-i get pods", out: "yes\n" },
    { line: "create namespace n", out: "namespace/n created\n" },
    { line: "create quota q --hard=pods=1 -n n", out: "resourcequota/q created\n" },
    { line: "create service clusterip s --tcp=80:8080", out: "service/s created\n" },
    { line: "create serviceaccount sa", out: "serviceaccount/sa created\n" },
    { line: "create priorityclass pc --value=5", out: "priorityclass.scheduling.k8s.io/pc created\n" },
    { line: "create pdb b --selector=a=b --min-available=1", out: "poddisruptionbudget.policy/b created\n" },
    { line: "create ingress i --rule=foo.com/*=svc:80,tls=s", out: "ingress.networking.k8s.io/i created\n" },
    { line: "create job j --image=busybox", out: "job.batch/j created\n" },
    { line: "create secret generic s --from-literal=a=b", out: "secret/s created\n" },
    { line: "create secret docker-registry r --docker-username=u --docker-password=p", out: "secret/r created\n" },
  ];
  test("prints the messages of v1.21's kubectl, one after the other", async () => {
    for (const { line, out = "", err = "" } of steps) {
      const words = line.startsWith("patch cm c --type=merge") ? ["patch", "cm", "c"] : line.split(" ");
      const outcome = await session.run(words);
      if (words.length === 3 && words[0] === "patch") expect(outcome.code).toBe(1);
      else expect({ line, ...outcome }).toEqual({ line, code: err === "" ? 0 : 1, out, err });
    }
  });
});

describe("under the name ctl", () => {
  let own: Session;
  beforeAll(async () => {
    own = await openSession("ctl");
  });
  afterAll(() => own[Symbol.asyncDispose]());
  const cm = (value: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: ${value}}\n`;
  test("an apply is server-side, sets no annotation, and reports both sides of a conflict", async () => {
    own.file("c.yaml", cm("one"));
    expect(await own.ok("apply -f c.yaml")).toBe("configmap/c created\n");
    expect(await own.ok("apply -f c.yaml")).toBe("configmap/c unchanged\n");
    expect(await own.ok(["get", "cm", "c", "-o", "jsonpath={.metadata.annotations}"])).toBe("");
    await own.ok("apply -f c.yaml --field-manager=robot --force-conflicts");
    own.file("d.yaml", cm("two"));
    await own.ok("apply -f d.yaml --field-manager=robot --force-conflicts");
    const { code, err } = await own.run("apply -f c.yaml");
    expect(code).toBe(1);
    expect(err).toContain('.data.a\n    robot has set it to "two", your manifest says "one"');
    expect(err).toContain("take them over:        ctl apply -f c.yaml --force-conflicts\n");
    expect(err).toContain("leave them to others:  ctl apply -f c.yaml --yield-to=robot\n");
    expect((await own.run("apply -f c.yaml --yield-to=robot")).code).toBe(0);
    expect(await own.ok("blame cm c")).toMatch(/robot \(Apply \d+s\) +a: two/);
  });
  test("a conflict shows no values of a Secret and no credentials of the command line", async () => {
    const secret = (value: string) =>
      own.file("secret.yaml", `apiVersion: v1\nkind: Secret\nmetadata: {name: kept}\ndata: {p: ${value}}\n`);
    secret("aHVudGVyMg==");
    await own.ok("apply -f secret.yaml --field-manager=robot");
    secret("aHVudGVyMw==");
    const { err } = await own.run(["apply", "-f", "secret.yaml", "--token", "hidden", "-l", "!a, !b"]);
    expect(err).toContain("robot has set it to ***, your manifest says ***");
    expect(err).toContain("ctl apply -f secret.yaml -l '!a, !b' --force-conflicts");
    expect(err).not.toMatch(/aHVudGVy|hidden/);
  });
  test("an apply of many objects shows its progress on a terminal, and clears it at the end", async () => {
    const one = (at: number) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: many-${at}}\n`;
    session.file("many.yaml", Array.from({ length: 10 }, (_, at) => one(at)).join("---\n"));
    const shown = await session.run("apply -f many.yaml", { isTerminal: true });
    const clearLine = "\r\u001b[2K";
    expect(shown.err.startsWith(`${clearLine}applying 1 of 10: many.yaml`)).toBe(true);
    expect(shown.err.endsWith(`applying 10 of 10: many.yaml${clearLine}`)).toBe(true);
    const quiet = await session.run("apply -f many.yaml");
    expect([quiet.code, quiet.err]).toEqual([0, ""]);
    const deleted = await session.run("delete -f many.yaml", { isTerminal: true });
    expect(deleted.err).toContain(`${clearLine}waiting for 10 objects to be deleted`);
    expect(deleted.err.endsWith(clearLine)).toBe(true);
  });

  test("a diff exits with 0, 1 or 2 and masks secrets", async () => {
    own.file("s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: hunter2}\n");
    const before = await own.run("diff -f s.yaml");
    expect(before.code).toBe(1);
    expect(before.out).not.toContain(Buffer.from("hunter2").toString("base64"));
    await own.ok("apply -f s.yaml");
    expect((await own.run("diff -f c.yaml --force-conflicts")).code).toBe(1);
    expect((await own.run("diff -f missing.yaml")).code).toBe(2);
  });
  test("validate checks a folder offline and reports file and line", async () => {
    mkdirSync(join(own.folder, "all"));
    own.file(
      "all/a.yaml",
      `${cm("x")}---\napiVersion: v1\nkind: Pod\nmetadata: {name: Bad_Name}\nspec: {containers: []}\n`,
    );
    const { code, out } = await own.run("validate all -q");
    expect(code).toBe(1);
    expect(out).toMatch(/^all\/a\.yaml:8: pod\/Bad_Name: The Pod "Bad_Name" is invalid: metadata\.name/m);
    expect(out).toMatch(/^all\/a\.yaml:9: pod\/Bad_Name: The Pod "Bad_Name" is invalid: spec\.containers/m);
  });
  test("validate refuses misspelt fields, and reports them beside everything else that is wrong", async () => {
    own.file(
      "typo.yaml",
      `${deployment("x").replace("replicas: 1", "replcas: 3\n  progressDeadlineSeconds: -1")}---\n${deployment("nginx").replace("web", "right")}`,
    );
    const { code, out } = await own.run("validate typo.yaml -q");
    expect([code, out.split("\n").length]).toEqual([1, expect.any(Number)]);
    expect(out).toContain(
      'typo.yaml:5: deployment.apps/web: ValidationError(Deployment.spec): unknown field "replcas"',
    );
    expect(out).toContain("spec.progressDeadlineSeconds: Invalid value: -1");
    expect(out).not.toContain("right");
  });
  test("a wait includes creation, and reports the last state at its end", async () => {
    const waiting = own.run("wait --for=jsonpath={.data.x}=1 cm/late --timeout=20s");
    await own.ok("create cm late --from-literal=x=1");
    expect((await waiting).out).toBe("configmap/late condition met\n");
    const { code, err } = await own.run("wait --for=condition=Ready cm/late --timeout=1ms");
    expect([code, err]).toEqual([1, expect.stringContaining("configmap/late was last seen like this")]);
  });
  test("export omits fields that the server sets, and import creates the objects again", async () => {
    const exported = await own.ok("export configmaps");
    expect(exported).not.toMatch(/uid|resourceVersion|managedFields/);
    own.file("exported.yaml", exported);
    await own.ok("create namespace copy");
    expect(await own.run("import exported.yaml")).toMatchObject({ code: 0 });
  });
  test("control characters of the server are shown escaped, never printed", async () => {
    own.file(
      "esc.yaml",
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: esc, annotations: {a: "x\\e]52;c;aGk=\\a\\u202e"}}\ndata: {k: "\\e[31m"}\n',
    );
    await own.ok("apply -f esc.yaml");
    const printed =
      (await own.ok("describe cm esc")) +
      (await own.ok("get cm esc -o yaml", { isTerminal: true })) +
      (await own.ok(["get", "cm", "esc", "-o", "jsonpath={.data.k}"], { isTerminal: true }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
    expect(printed).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/);
    expect(printed).toContain("^[[31m");
  });
});
