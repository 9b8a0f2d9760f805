/** Revisions in detail, as the describe writer shows a pod template; without a controller, so that every byte is known. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../../session.suite.ts";

const metadata = { name: "mill", namespace: "default", labels: { app: "mill" } };
const selector = { matchLabels: { app: "mill" } };

/** The template of a revision: two containers, of which the first has everything that is shown. */
const template = (image: string, more: object = {}) => ({
  metadata: { labels: { app: "mill", ...more } },
  spec: {
    containers: [
      {
        name: "wheel",
        image,
        ports: [{ containerPort: 80 }],
        env: [{ name: "SPEED", value: "3" }],
        resources: { limits: { cpu: "1" }, requests: { cpu: "100m" } },
        volumeMounts: [{ name: "grain", mountPath: "/grain", readOnly: true }],
      },
      { name: "stone", image: "stone:1" },
    ],
    volumes: [{ name: "grain", configMap: { name: "grain" } }],
  },
});

let session: Session;
beforeAll(async () => {
  session = await openSession("kubectl", { controllers: false });
  const create = async (resource: string, object: object) => {
    const path = `/apis/apps/v1/namespaces/default/${resource}`;
    const headers = { "content-type": "application/json" };
    const answer = await session.server.fetch(path, { method: "POST", headers, body: JSON.stringify(object) });
    if (answer.status !== 201) throw new Error(await answer.text());
    return (await answer.json()) as { metadata: { uid: string } };
  };
  const owner = await create("deployments", { metadata, spec: { selector, template: template("wheel:2") } });
  const ownerReferences = [
    { apiVersion: "apps/v1", kind: "Deployment", name: "mill", uid: owner.metadata.uid, controller: true },
  ];
  for (const [revision, image, cause] of [
    ["1", "wheel:1", "kubectl apply --filename=one.yaml"],
    ["2", "wheel:2", ""],
  ] as const) {
    const annotations = {
      "deployment.kubernetes.io/revision": revision,
      ...(cause === "" ? {} : { "kubernetes.io/change-cause": cause }),
    };
    const hash = { "pod-template-hash": `hash${revision}` };
    await create("replicasets", {
      metadata: {
        ...metadata,
        name: `mill-${revision}`,
        annotations,
        labels: { app: "mill", ...hash },
        ownerReferences,
      },
      spec: { selector: { matchLabels: { app: "mill", ...hash } }, template: template(image, hash) },
    });
  }
});
afterAll(() => session[Symbol.asyncDispose]());

/** What follows the labels and annotations: the writer does not align it. */
const rest = (image: string) => `  Containers:
   wheel:
    Image:	${image}
    Port:	80/TCP
    Host Port:	0/TCP
    Limits:
      cpu:	1
    Requests:
      cpu:	100m
    Environment:
      SPEED:	3
    Mounts:
      /grain from grain (ro)
   stone:
    Image:	stone:1
    Port:	<none>
    Host Port:	<none>
    Environment:	<none>
    Mounts:	<none>
  Volumes:
   grain:
    Type:	ConfigMap (a volume populated by a ConfigMap)
    Name:	grain
    Optional:	false
`;
const labels = (revision: number) => `Pod Template:\n  Labels:	app=mill\n	pod-template-hash=hash${revision}\n`;

test("history lists revisions with what caused them", async () => {
  const rows = "REVISION  CHANGE-CAUSE\n1         kubectl apply --filename=one.yaml\n2         <none>\n";
  expect(await session.ok("rollout history deployment/mill")).toBe(`deployment.apps/mill \n${rows}\n`);
});

test("history of one revision shows its template, with the cause as an annotation", async () => {
  const cause = "  Annotations:	kubernetes.io/change-cause: kubectl apply --filename=one.yaml\n";
  expect(await session.ok("rollout history deployment/mill --revision=1")).toBe(
    `deployment.apps/mill with revision #1\n${labels(1)}${cause}${rest("wheel:1")}\n`,
  );
  expect(await session.ok("rollout history deployment/mill --revision=2")).toBe(
    `deployment.apps/mill with revision #2\n${labels(2)}${rest("wheel:2")}\n`,
  );
});

test("undo shows on a dry run to which template it would go back, and then goes back", async () => {
  expect(await session.ok("rollout undo deployment/mill --dry-run=client")).toBe(
    `deployment.apps/mill ${labels(1)}${rest("wheel:1")} (dry run)\n`,
  );
  const image = "get deployment mill -o jsonpath={.spec.template.spec.containers[0].image}";
  expect(await session.ok(image)).toBe("wheel:2");
  expect(await session.ok("rollout undo deployment/mill")).toBe("deployment.apps/mill rolled back\n");
  expect(await session.ok(image)).toBe("wheel:1");
});
