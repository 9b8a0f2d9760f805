/** Certificates for a test: an authority, a server for 127.0.0.1 and a client, made with openssl. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface TestCertificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Returns the paths of PEM files inside `folder`. */
export function makeTestCertificates(folder: string): TestCertificates {
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync("openssl", args, { stdio: "ignore", cwd: folder });
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    "ca.key",
    "-out",
    "ca.crt",
    "-days",
    "2",
    "-subj",
    "/CN=test authority",
  );
  const issue = (name: string, extensions: string): { cert: string; key: string } => {
    openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    writeFileSync(path(`${name}.ext`), extensions);
    const signing = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", `${name}.ext`];
    openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.crt`, ...signing);
    return { cert: path(`${name}.crt`), key: path(`${name}.key`) };
  };
  return {
    ca: path("ca.crt"),
    // etcd talks to itself with the server's certificate, so that one is good for clients too.
    server: issue("server", "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n"),
    client: issue("client", "extendedKeyUsage=clientAuth\n"),
  };
}

export function readPem(path: string): string {
  return readFileSync(path, "utf8");
}
