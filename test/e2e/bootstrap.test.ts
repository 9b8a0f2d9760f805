import { createHmac, timingSafeEqual } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, kubectl, openssl, run } from "./programs.ts";
import { openUpSession, type UpSession } from "./up-session.ts";

const [id, secret] = ["abcdef", "0123456789abcdef"];
const token = `${id}.${secret}`;

/** Without a credential, and without knowing yet whom to trust. */
function readAsStranger(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const path = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
    get(`${url}${path}`, { rejectUnauthorized: false, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += String(chunk);
      });
      answer.on("end", () => resolve(text));
    }).on("error", reject);
  });
}

describeWith({ ...kubectl, isThere: () => kubectl.isThere() && openssl.isThere() }, "a node joins with a token", () => {
  let session: UpSession;
  beforeAll(async () => {
    session = await openUpSession("--enable-bootstrap-token-auth", "--controllers=*,bootstrapsigner,tokencleaner");
  });
  afterAll(() => session?.close());
  const at = (name: string) => join(session.folder, name);
  const apply = (object: object) => session.ctl("apply -f -", { input: JSON.stringify(object) });
  const ctlAs = (args: readonly string[], trust: readonly string[]) =>
    session.tryCtl(["--server", session.url, ...trust, ...args], { KUBECONFIG: at("none") });
  const asToken = (...args: string[]) => ctlAs([`--token=${token}`, ...args], ["--insecure-skip-tls-verify"]);

  test("cluster-info is signed with the token, and a machine with the token can verify it", async () => {
    const authority = (await readFile(at("data/pki/ca.crt"))).toString("base64");
    const cluster = { name: "", cluster: { server: session.url, "certificate-authority-data": authority } };
    const kubeconfig = JSON.stringify({ apiVersion: "v1", kind: "Config", clusters: [cluster] });
    await apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "cluster-info", namespace: "kube-public" },
      data: { kubeconfig },
    });
    await apply({
      apiVersion: "v1",
      kind: "Secret",
      type: "bootstrap.kubernetes.io/token",
      metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
      stringData: {
        "token-id": id,
        "token-secret": secret,
        "usage-bootstrap-authentication": "true",
        "usage-bootstrap-signing": "true",
        "auth-extra-groups": "system:bootstrappers:workers",
      },
    });
    // As kubeadm does, so that a machine without any credential can read the one ConfigMap.
    await session.ctl("create role info -n kube-public --verb=get --resource=configmaps --resource-name=cluster-info");
    await session.ctl("create rolebinding info -n kube-public --role=info --user=system:anonymous");
    const read = async () => (JSON.parse(await readAsStranger(session.url)) as { data: Record<string, string> }).data;
    const name = `jws-kubeconfig-${id}`;
    await expect.poll(async () => (await read())[name]).toBeDefined();
    const data = await read();
    const [head = "", payload, signature = ""] = (data[name] ?? "").split(".");
    expect(payload).toBe("");
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ alg: "HS256", kid: id });
    const signed = `${head}.${Buffer.from(data["kubeconfig"] ?? "").toString("base64url")}`;
    const expected = createHmac("sha256", secret).update(signed).digest();
    expect(timingSafeEqual(Buffer.from(signature, "base64url"), expected)).toBe(true);
    await writeFile(at("found-ca.crt"), Buffer.from(authority, "base64"));
  });

  test("the token is a user with the groups of its Secret", async () => {
    const { stderr } = await asToken("get", "secrets");
    expect(stderr).toContain(`User "system:bootstrap:${id}" cannot list resource "secrets"`);
    await session.ctl(
      "create clusterrolebinding join --clusterrole=system:node-bootstrapper --group=system:bootstrappers:workers",
    );
    expect((await asToken("auth", "can-i", "create", "certificatesigningrequests")).stdout).toBe("yes\n");
  });

  test("with it the node gets a client certificate without manual approval, and registers itself", async () => {
    await session.ctl(
      "create clusterrolebinding approve --clusterrole=system:certificates.k8s.io:certificatesigningrequests:nodeclient --group=system:bootstrappers",
    );
    const subject = "/O=system:nodes/CN=system:node:n1";
    const files = ["-keyout", at("n1.key"), "-out", at("n1.csr")];
    const { code } = await run("openssl", ["req", "-new", "-newkey", "rsa:2048", "-nodes", ...files, "-subj", subject]);
    expect(code).toBe(0);
    const csr = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "n1" },
      spec: {
        request: (await readFile(at("n1.csr"))).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client-kubelet",
        usages: ["digital signature", "key encipherment", "client auth"],
      },
    };
    await writeFile(at("csr.json"), JSON.stringify(csr));
    expect(await asToken("create", "-f", at("csr.json"))).toMatchObject({ code: 0 });
    const certificate = () => asToken("get", "csr", "n1", "-o", "jsonpath={.status.certificate}");
    await expect.poll(async () => (await certificate()).stdout).not.toBe("");
    await writeFile(at("n1.crt"), Buffer.from((await certificate()).stdout, "base64"));
    expect(await session.ctl("get csr n1 -o jsonpath={.status.conditions[0].reason}")).toBe("AutoApproved");
    const verified = await run("openssl", [
      "verify",
      "-purpose",
      "sslclient",
      "-CAfile",
      at("found-ca.crt"),
      at("n1.crt"),
    ]);
    expect(verified.stdout).toBe(`${at("n1.crt")}: OK\n`);

    const identity = ["--client-certificate", at("n1.crt"), "--client-key", at("n1.key")];
    const trust = ["--certificate-authority", at("found-ca.crt"), ...identity];
    await writeFile(at("node.json"), JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }));
    expect(await ctlAs(["create", "-f", at("node.json")], trust)).toMatchObject({ code: 0 });
  });

  test("an expired token no longer signs nor authenticates, and is deleted", async () => {
    const expiration = Buffer.from("2020-01-01T00:00:00Z").toString("base64");
    const patch = JSON.stringify({ data: { expiration } });
    await session.ctl(["patch", "secret", `bootstrap-token-${id}`, "-n", "kube-system", "-p", patch]);
    const left = () => session.ctl(`get secret bootstrap-token-${id} -n kube-system --ignore-not-found`);
    await expect.poll(left).toBe("");
    const keys = () => session.ctl("get configmap cluster-info -n kube-public -o jsonpath={.data}");
    await expect.poll(keys).not.toContain("jws-kubeconfig");
    expect((await asToken("get", "csr")).stderr).toMatch(/Unauthorized|must be logged in/);
  });
});
