import { expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import { operatorFile } from "../configuration/operator-file.ts";
import { readPodSecurity } from "./configuration.ts";

const head = { apiVersion: "pod-security.admission.config.orch.io/v1", kind: "PodSecurityConfiguration" };
const read = (more: unknown, vocabulary = orch) =>
  readPodSecurity(
    { where: "/etc/a.yaml: plugins[0].configuration", value: more, file: operatorFile("/etc/a.yaml", "", String) },
    vocabulary,
  );

test("what is not configured is privileged in its latest version, and nothing is exempt", () => {
  const privileged = { level: "privileged", version: "latest" };
  const nothing = {
    defaults: { enforce: privileged, audit: privileged, warn: privileged },
    exempt: { usernames: new Set(), runtimeClasses: new Set(), namespaces: new Set() },
  };
  expect(readPodSecurity(undefined, orch)).toEqual(nothing);
  expect(read(head)).toEqual(nothing);
  expect(read({ ...head, defaults: { enforce: "", "enforce-version": "" }, exemptions: { namespaces: [] } })).toEqual(
    nothing,
  );
});

test("each mode has its own level and version, in every version of the file", () => {
  for (const version of ["v1", "v1beta1", "v1alpha1"]) {
    const found = read(
      {
        apiVersion: `pod-security.admission.config.k8s.io/${version}`,
        kind: "PodSecurityConfiguration",
        defaults: { enforce: "baseline", "enforce-version": "v1.30", audit: "restricted", "warn-version": "v1.99" },
        exemptions: { usernames: ["system:admin"], runtimeClasses: ["kata"], namespaces: ["a", "b"] },
      },
      kubernetes,
    );
    expect(found).toEqual({
      defaults: {
        enforce: { level: "baseline", version: "v1.30" },
        audit: { level: "restricted", version: "latest" },
        warn: { level: "privileged", version: "v1.99" },
      },
      exempt: {
        usernames: new Set(["system:admin"]),
        runtimeClasses: new Set(["kata"]),
        namespaces: new Set(["a", "b"]),
      },
    });
  }
});

test("a mistake is reported with its place", () => {
  const exemptions = (given: object) => ({ ...head, exemptions: given });
  const cases: readonly [unknown, string][] = [
    [null, "must be an object"],
    [{ ...head, apiVersion: "pod-security.admission.config.orch.io/v2" }, "apiVersion and kind must be one of"],
    [{ ...head, kind: "PodSecurity" }, "apiVersion and kind must be one of"],
    [{ ...head, default: {} }, 'unknown field "default"'],
    [{ ...head, defaults: { enforced: "baseline" } }, 'unknown field "defaults.enforced"'],
    [{ ...head, defaults: { enforce: 1 } }, "defaults.enforce"],
    [
      { ...head, defaults: { enforce: "Baseline" } },
      "defaults.enforce must be one of privileged, baseline, restricted",
    ],
    [{ ...head, defaults: { "warn-version": "1.30" } }, 'defaults.warn-version must be "latest" or "v1.x"'],
    [exemptions({ users: ["a"] }), 'unknown field "exemptions.users"'],
    [exemptions({ usernames: ["a", ""] }), 'exemptions.usernames[1]: "": must not be empty'],
    [exemptions({ usernames: ["a", "a"] }), 'exemptions.usernames[1]: "a" is named twice'],
    [exemptions({ namespaces: ["Not A Name"] }), 'exemptions.namespaces[0]: "Not A Name": '],
    [exemptions({ namespaces: ["a", "b", "a"] }), 'exemptions.namespaces[2]: "a" is named twice'],
    [exemptions({ runtimeClasses: ["a_b"] }), 'exemptions.runtimeClasses[0]: "a_b": '],
  ];
  for (const [given, message] of cases) expect(() => read(given)).toThrow(message);
});
