import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubectlSession, openKubectlSession } from "./kubectl-session.ts";
import { describeWith, kubectl, kubectlPath, run } from "./programs.ts";

describeWith(kubectl, "custom resources with kubectl", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await openKubectlSession();
  });
  afterAll(() => session?.close());
  const ctl = (args: string | readonly string[], input = "") => session.ctl(args, { input });
  /** What kubectl says about a command that must fail. */
  const refusal = async (args: string, input: string) => {
    const { code, stderr } = await run(kubectlPath, args.split(" "), { env: session.env, ...(input ? { input } : {}) });
    expect(code).not.toBe(0);
    return stderr;
  };

  const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Spec, type: string, jsonPath: .spec.cronSpec}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A CronTab runs a command now and then.
        properties:
          spec:
            type: object
            required: [cronSpec]
            properties:
              cronSpec: {type: string, pattern: '^(\\S+ ){4}\\S+$', description: When it runs.}
              image: {type: string}
              replicas: {type: integer, default: 1, minimum: 0}
`;
  const object = (image: string) => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly}
spec: {cronSpec: "0 3 * * *", image: ${image}}
`;

  test("a definition and an object of it are applied from one file", async () => {
    const file = `${definition}---${object("a")}`;
    // This kubectl looks up all kinds of a file in the discovery that it read before it applies the first of them. No server can
    // change that: after the definition is created, kubectl sends no request at all that could tell it of the new kind.
    const log = await refusal("apply -f - -v=6", file);
    expect(log).toContain('no matches for kind "CronTab"');
    const requests = log.split("\n").filter((line) => /(GET|POST|PATCH|PUT) https/.test(line));
    expect(requests.at(-1)).toMatch(/POST .*\/customresourcedefinitions/);
    expect(requests.filter((line) => line.includes("stable.example.com/v1"))).toEqual([]);
    expect(await ctl("apply -f -", file)).toBe(
      "customresourcedefinition.apiextensions.k8s.io/crontabs.stable.example.com unchanged\n" +
        "crontab.stable.example.com/nightly created\n",
    );
  });

  test("get shows the columns of the definition, by any of its names", async () => {
    for (const name of ["crontabs", "crontab", "ct", "crontabs.v1.stable.example.com"])
      expect(await ctl(`get ${name} --no-headers`)).toMatch(/^nightly +0 3 \* \* \* +1 +\d+s\n$/);
    expect(await ctl("get all -o name")).toContain("crontab.stable.example.com/nightly");
    expect(await ctl("api-resources --api-group stable.example.com --no-headers")).toMatch(
      /^crontabs +ct +stable.example.com\/v1 +true +CronTab\n$/,
    );
  });

  test("explain documents its fields", async () => {
    expect(await ctl("explain crontab")).toContain("A CronTab runs a command now and then.");
    expect(await ctl("explain crontab.spec.cronSpec")).toContain("When it runs.");
    expect(await ctl("explain crontab.metadata.labels")).toContain("map[string]string");
    // Public suites look for these phrases.
    expect(await ctl("explain crontab")).toMatch(/apiVersion\t<string>\s+APIVersion defines/);
    expect(await ctl("explain crontab.metadata")).toMatch(
      /DESCRIPTION:.*Standard object's metadata.*creationTimestamp\t<string>\s+CreationTimestamp is a timestamp/s,
    );
  });

  test("apply changes it, refuses what the schema refuses, and reports unknown fields before the request", async () => {
    expect(await ctl("apply -f -", object("b"))).toBe("crontab.stable.example.com/nightly configured\n");
    expect(await refusal("apply -f -", object("b").replace("0 3 * * *", "often"))).toContain("spec.cronSpec");
    expect(await refusal("apply -f -", object("b").replace("image", "imag"))).toContain('unknown field "imag"');
  });

  test("apply --server-side owns the fields that it sets", async () => {
    const applied = await ctl("apply --server-side --field-manager me --force-conflicts -f -", object("c"));
    expect(applied).toBe("crontab.stable.example.com/nightly serverside-applied\n");
    expect(await ctl("get ct nightly -o jsonpath={.spec.image}")).toBe("c");
    expect(await ctl("get ct nightly -o yaml")).toContain("manager: me");
  });

  test("edit, scale, label and patch", async () => {
    session.env["KUBE_EDITOR"] = "sed -i '/image:/s/c$/d/'";
    const edited = await ctl("edit ct nightly");
    expect(edited).toBe("crontab.stable.example.com/nightly edited\n");
    expect(await ctl("scale ct nightly --replicas 3")).toBe("crontab.stable.example.com/nightly scaled\n");
    expect(await ctl("label ct nightly a=b")).toBe("crontab.stable.example.com/nightly labeled\n");
    expect(await ctl('patch ct nightly --type merge -p {"spec":{"image":"e"}}')).toContain("patched");
    expect(await ctl("get ct nightly -o jsonpath={.spec.replicas},{.spec.image},{.metadata.labels.a}")).toBe("3,e,b");
  });

  test("delete crd deletes its objects", async () => {
    expect(await ctl("delete crd crontabs.stable.example.com")).toContain("deleted");
    expect(await refusal("get crontabs", "")).toContain("could not find the requested resource");
  });
});
