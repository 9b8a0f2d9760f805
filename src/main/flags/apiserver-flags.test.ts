import { expect, test } from "vitest";
import { describeFlags } from "../../base/flags/help.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { apiserverFlags } from "./apiserver-flags.ts";

test("a command line of v1.21 is accepted", () => {
  const { values, warnings } = parseFlags(apiserverFlags, [
    "--secure-port=6443",
    "--bind-address=127.0.0.1",
    "--data-dir=/var/lib/orch",
    "--cert-dir=/var/run/orch",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://orch.default.svc",
    "--service-account-signing-key-file=sa.key",
    "--service-account-key-file=sa.pub",
    "--client-ca-file=ca.crt",
    "--token-auth-file=tokens.csv",
    "--enable-bootstrap-token-auth",
    "--authorization-mode=Node,RBAC",
    "--requestheader-client-ca-file=proxy-ca.crt",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--allow-privileged=true",
    "--etcd-servers=http://127.0.0.1:2379",
    "--runtime-config=authorization.orch.io/v1beta1=false",
    "--feature-gates=IndexedJob=true,SuspendJob=true",
    "-v=2",
  ]);
  expect(values).toMatchObject({
    "secure-port": 6443,
    "service-account-key-file": ["sa.pub"],
    "enable-bootstrap-token-auth": true,
    "authorization-mode": ["Node", "RBAC"],
    "kvstore-servers": ["http://127.0.0.1:2379"],
    "runtime-config": new Map([["authorization.orch.io/v1beta1", "false"]]),
    "request-timeout": 60_000,
    v: 2,
  });
  expect(warnings).toEqual([]);
});

test("flags that v1.21 hides or takes from cloud providers are accepted, each with one warning", () => {
  const { values, warnings } = parseFlags(apiserverFlags, [
    "--kubelet-port=10250",
    "--kubelet-read-only-port=10255",
    "--kubelet-https=true",
    "--experimental-encryption-provider-config=keys.yaml",
    "--cloud-provider-gce-lb-src-cidrs=130.211.0.0/22",
    "--cloud-provider-gce-l7lb-src-cidrs=130.211.0.0/22",
  ]);
  expect(values["encryption-provider-config"]).toBe("keys.yaml");
  expect(warnings.map((warning) => warning.replace(/,.*|: .*/, ""))).toEqual([
    "Flag --kubelet-port has been deprecated",
    "Flag --kubelet-read-only-port has been deprecated",
    "Flag --kubelet-https has been deprecated",
    "Flag --experimental-encryption-provider-config has been deprecated",
    "--cloud-provider-gce-lb-src-cidrs is accepted but has no effect",
    "--cloud-provider-gce-l7lb-src-cidrs is accepted but has no effect",
  ]);
});

test("every flag has a help text or a reason why it has no effect, and names are unique", () => {
  const names = new Set<string>();
  for (const [name, flag] of Object.entries(apiserverFlags)) {
    expect(
      flag.help !== "" || flag.pending !== undefined || flag.refused !== undefined || flag.deprecated !== undefined,
      name,
    ).toBe(true);
    for (const each of [name, ...(flag.aliases ?? [])]) {
      expect(names.has(each), each).toBe(false);
      names.add(each);
    }
  }
});

test("a flag that would be unsafe to ignore stops the start", () => {
  expect(() => parseFlags(apiserverFlags, ["--etcd-servers-overrides=/events#https://a"])).toThrow(/one store/);
});

test.each(["max-requests-inflight", "max-mutating-requests-inflight", "min-request-timeout"])(
  "--%s must not be negative, as in v1.21",
  (name) => {
    expect(() => parseFlags(apiserverFlags, [`--${name}=-1`])).toThrow(`--${name} must be a whole number that is not`);
    expect(parseFlags(apiserverFlags, [`--${name}=0`]).values).toMatchObject({ [name]: 0 });
  },
);

test("a deprecated flag is accepted with the warning of v1.21, and the help leaves it out", () => {
  const { warnings } = parseFlags(apiserverFlags, ["--insecure-port=0", "--insecure-port=0", "--kubelet-https"]);
  expect(warnings).toEqual([
    "Flag --insecure-port has been deprecated, This flag has no effect now and will be removed in v1.24.",
    "Flag --kubelet-https has been deprecated, API Server connections to orchlets always use https. This flag will be removed in v1.22.",
  ]);
  const help = { flags: apiserverFlags, first: [] };
  expect(describeFlags(help, true)).not.toContain("--insecure-port");
});
