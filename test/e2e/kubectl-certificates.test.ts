import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, kubectl, openssl, run } from "./programs.ts";
import { openUpSession, type UpSession } from "./up-session.ts";

interface Request {
  readonly name: string;
  readonly subject: string;
  readonly signer: string;
  readonly usages: readonly string[];
  readonly names?: string;
}

describeWith({ ...kubectl, isThere: () => kubectl.isThere() && openssl.isThere() }, "certificates of orch up", () => {
  let session: UpSession;
  beforeAll(async () => {
    session = await openUpSession();
  });
  afterAll(() => session?.close());
  const at = (name: string) => join(session.folder, name);
  const authority = () => at("data/pki/ca.crt");

  async function ssl(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run("openssl", args);
    expect({ args, code, stderr: code === 0 ? "" : stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  }

  /** Makes a key, and a file with a request for its certificate. */
  async function write({ name, subject, signer, usages, names }: Request): Promise<string> {
    const [key, csr] = [at(`${name}.key`), at(`${name}.csr`)];
    const alternatives = names === undefined ? [] : ["-addext", `subjectAltName=${names}`];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    await ssl(["req", "-new", ...curve, "-keyout", key, "-out", csr, "-subj", subject, ...alternatives]);
    const object = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name },
      spec: { request: (await readFile(csr)).toString("base64"), signerName: `kubernetes.io/${signer}`, usages },
    };
    await writeFile(at(`${name}.json`), JSON.stringify(object));
    return at(`${name}.json`);
  }
  const request = async (about: Request) => session.ctl(`create -f ${await write(about)}`);

  async function issued(name: string): Promise<string> {
    const read = () => session.ctl(`get csr ${name} -o jsonpath={.status.certificate}`);
    await expect.poll(read).not.toBe("");
    await writeFile(at(`${name}.crt`), Buffer.from(await read(), "base64"));
    return at(`${name}.crt`);
  }

  const clientUsages = ["digital signature", "key encipherment", "client auth"];
  const servingUsages = ["digital signature", "key encipherment", "server auth"];

  test("an approved request becomes a certificate that openssl accepts and the server authenticates", async () => {
    await request({
      name: "jane",
      subject: "/O=developers/CN=jane",
      signer: "kube-apiserver-client",
      usages: ["client auth"],
    });
    expect(await session.ctl("get csr jane")).toMatch(
      /jane +\S+ +kubernetes.io\/kube-apiserver-client +kubernetes-admin +Pending/,
    );
    expect(await session.ctl("certificate approve jane")).toContain("jane approved");
    const path = await issued("jane");
    expect(await session.ctl("get csr jane")).toContain("Approved,Issued");
    expect(await ssl(["verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", authority(), path])).toBe(
      `${path}: OK\n`,
    );
    const text = await ssl(["x509", "-in", path, "-noout", "-text", "-ext", "extendedKeyUsage,basicConstraints"]);
    expect(text).toMatch(/Subject: O ?= ?developers, CN ?= ?jane/);
    expect(text).toContain("TLS Web Client Authentication");
    expect(text).not.toContain("TLS Web Server Authentication");
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);

    const as = ["--server", session.url, "--certificate-authority", authority()];
    const jane = [...as, "--client-certificate", path, "--client-key", at("jane.key")];
    const empty = { KUBECONFIG: at("none") };
    expect((await session.tryCtl([...jane, "get", "pods"], empty)).stderr).toContain('User "jane" cannot list');
    await session.ctl("create rolebinding devs --clusterrole=view --group=developers");
    expect(await session.tryCtl([...jane, "get", "pods"], empty)).toMatchObject({ code: 0 });
  });

  test("a denied request is never signed", async () => {
    await request({
      name: "mallory",
      subject: "/CN=mallory",
      signer: "kube-apiserver-client",
      usages: ["client auth"],
    });
    await session.ctl("certificate deny mallory");
    expect(await session.ctl("get csr mallory")).toMatch(/Denied\s*$/);
    expect((await session.tryCtl("certificate approve mallory")).code).not.toBe(0);
    expect(await session.ctl("get csr mallory -o jsonpath={.status.certificate}")).toBe("");
  });

  test("a certificate for the group of administrators cannot be requested", async () => {
    const path = await write({
      name: "root",
      subject: "/O=system:masters/CN=root",
      signer: "kube-apiserver-client",
      usages: ["client auth"],
    });
    const { code, stderr } = await session.tryCtl(`create -f ${path}`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/root" is forbidden.*system:masters/)]);
  });

  test("a node's serving certificate is accepted for its names", async () => {
    await request({
      name: "serving",
      subject: "/O=system:nodes/CN=system:node:n1",
      signer: "kubelet-serving",
      usages: servingUsages,
      names: "DNS:n1.example.com,IP:10.0.0.7",
    });
    await session.ctl("certificate approve serving");
    const path = await issued("serving");
    for (const named of [
      ["-verify_hostname", "n1.example.com"],
      ["-verify_ip", "10.0.0.7"],
    ]) {
      await ssl(["verify", "-x509_strict", "-purpose", "sslserver", ...named, "-CAfile", authority(), path]);
    }
  });

  test("a request that the signer does not allow fails, although it was approved", async () => {
    const refused = [
      {
        name: "no-names",
        subject: "/O=system:nodes/CN=system:node:n1",
        signer: "kubelet-serving",
        usages: servingUsages,
      },
      {
        name: "other-group",
        subject: "/O=others/CN=system:node:n1",
        signer: "kube-apiserver-client-kubelet",
        usages: clientUsages,
      },
      {
        name: "server-usage",
        subject: "/CN=x",
        signer: "kube-apiserver-client",
        usages: ["client auth", "server auth"],
      },
    ];
    for (const each of refused) {
      await request(each);
      await session.ctl(`certificate approve ${each.name}`);
      const condition = () => session.ctl(`get csr ${each.name} -o jsonpath={.status.conditions[*].type}`);
      await expect.poll(condition).toBe("Approved Failed");
      expect(await session.ctl(`get csr ${each.name} -o jsonpath={.status.certificate}`)).toBe("");
    }
  });
});
