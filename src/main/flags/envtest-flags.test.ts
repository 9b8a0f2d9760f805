import { describe, expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { envtestServerFlags } from "./envtest-flags.ts";

/** What envtest passes by default, by its release. */
const passed = {
  "v0.8, from a template": [
    "--advertise-address=127.0.0.1",
    "--etcd-servers=http://127.0.0.1:34567",
    "--cert-dir=/tmp/certs",
    "--insecure-port=0",
    "--insecure-bind-address=127.0.0.1",
    "--secure-port=34568",
    "--disable-admission-plugins=ServiceAccount",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
  ],
  "v0.9 and later": [
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--bind-address=127.0.0.1",
    "--cert-dir=/tmp/certs",
    "--client-ca-file=/tmp/certs/client-cert-auth-ca.crt",
    "--disable-admission-plugins=ServiceAccount",
    "--etcd-servers=http://127.0.0.1:34567",
    "--secure-port=34568",
    "--service-account-issuer=https://127.0.0.1:34568/",
    "--service-account-key-file=/tmp/certs/sa-signer.crt",
    "--service-account-signing-key-file=/tmp/certs/sa-signer.key",
    "--service-cluster-ip-range=10.0.0.0/24",
  ],
  "what suites add": [
    "--feature-gates=CustomResourceFieldSelectors=true",
    "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
    "--enable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook",
    "--audit-policy-file=/tmp/policy.yaml",
    "--audit-log-path=-",
    "--kubelet-certificate-authority=/tmp/ca.crt",
    "--kubelet-client-certificate=/tmp/client.crt",
    "--kubelet-client-key=/tmp/client.key",
    "--kubelet-preferred-address-types=InternalIP",
    "--kubernetes-service-node-port=0",
    "--max-requests-inflight=0",
    "--v=4",
    "--logging-format=json",
  ],
} as const;

describe("what envtest passes is accepted:", () => {
  for (const [release, args] of Object.entries(passed))
    test(release, () => {
      const { values } = parseFlags(envtestServerFlags, args);
      expect(values.vocabulary).toBe("kubernetes");
    });
});

test("flags of later releases that change nothing here are accepted with one warning each", () => {
  const later = [
    "--coordinated-leadership-lease-duration=15s",
    "--debug-socket-path=/tmp/debug",
    "--emulation-forward-compatible",
    "--peer-advertise-ip=127.0.0.1",
    "--requestheader-uid-headers=X-Remote-Uid",
    "--shutdown-watch-termination-grace-period=1s",
  ];
  const { warnings } = parseFlags(envtestServerFlags, [...later, ...later]);
  expect(warnings).toHaveLength(later.length);
  expect(warnings[0]).toMatch(/^--coordinated-leadership-lease-duration is accepted but has no effect: /);
});

test("a mistyped flag is refused", () => {
  expect(() => parseFlags(envtestServerFlags, ["--secure-prot=1"])).toThrow("--secure-port");
});
