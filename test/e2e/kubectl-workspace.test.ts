/** kubectl inside a workspace: the session that people have with any server, and nothing of it is seen elsewhere. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubectlSession, openKubectlSession } from "./kubectl-session.ts";
import { describeWith, kubectl } from "./programs.ts";

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: toys, singular: toy, kind: Toy, shortNames: [ty]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, description: How large it is.}}}
`;
const toy = (size: number) => `
apiVersion: example.com/v1
kind: Toy
metadata: {name: train}
spec: {size: ${size}}
`;

describeWith(kubectl, "kubectl in a workspace", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await openKubectlSession({ workspace: "shop" });
  });
  afterAll(() => session?.close());
  const ctl = (args: string | readonly string[], input = "") => session.ctl(args, { input });

  test("has namespaces, objects, patches and watches", async () => {
    await ctl("create namespace team");
    await ctl("-n team create configmap prices --from-literal=tea=2");
    await ctl("-n team label configmap prices season=summer");
    await ctl(["-n", "team", "patch", "configmap", "prices", "--type=merge", "-p", '{"data":{"tea":"3"}}']);
    expect(await ctl(["-n", "team", "get", "configmap", "-l", "season", "-o", "jsonpath={.items[*].data.tea}"])).toBe(
      "3",
    );
    await ctl("-n team create deployment web --image=web:1 --replicas=2");
    expect(await ctl("-n team get deployment web -o wide")).toContain("web:1");
    expect(await ctl("-n team describe deployment web")).toContain("2 desired");
    await ctl("-n team delete configmap prices");
    await ctl("delete namespace team --timeout=30s");
  });

  test("defines resources, explains and applies them", async () => {
    await ctl("apply -f -", definition);
    await ctl("wait crd/toys.example.com --for=condition=Established --timeout=20s");
    await ctl("apply -f -", toy(1));
    expect(await ctl("apply --server-side --field-manager=shop --force-conflicts -f -", toy(2))).toContain(
      "serverside-applied",
    );
    expect(await ctl("get ty train -o jsonpath={.spec.size}")).toBe("2");
    expect(await ctl("explain toy.spec.size")).toContain("How large it is.");
    expect(await ctl("api-resources --api-group=example.com")).toContain("toys");
    await ctl("delete toy train");
  });

  test("has roles of its own", async () => {
    await ctl("create serviceaccount robot");
    await ctl("create rolebinding robot-reads --clusterrole=view --serviceaccount=default:robot");
    const as = "--as=system:serviceaccount:default:robot";
    expect(await ctl(`auth can-i list configmaps ${as}`)).toBe("yes\n");
    expect((await session.ctl(`auth can-i create configmaps ${as}`, { code: 1 })).trim()).toBe("no");
  });

  test("leaves nothing at the root", async () => {
    for (const path of [
      "/apis/example.com/v1/namespaces/default/toys",
      "/api/v1/namespaces/default/serviceaccounts/robot",
    ])
      expect([path, (await session.server.fetch(path)).status]).toEqual([path, 404]);
  });
});
