/** The files by which a program is the service account of a Deployment: as in a pod, and as a client configuration. */

import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../kit/contract.ts";
import { ServiceAccount } from "../../kit/kinds.ts";

interface Identity {
  /** Has token, ca.crt and namespace. */
  readonly account: string;
  readonly clientConfiguration: string;
  /** Stops the renewal of the token. */
  close(): void;
}

interface IdentityOptions {
  readonly client: Client;
  readonly server: string;
  /** PEM. Undefined: the server is not called over TLS, or verified by the system's authorities. */
  readonly authority: string | undefined;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly folder: string;
  /** Called when a token could not be renewed; it is tried again. */
  onProblem(error: unknown): void;
}

const tokenSeconds = 3_600;
/** Programs read the file again about once a minute, so there is time for several attempts. */
const renewAfterMs = (tokenSeconds / 2) * 1_000;
const tryAgainMs = 10_000;

export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { client, folder, namespace, serviceAccount, server, authority, onProblem } = options;
  const account = join(folder, "serviceaccount");
  await mkdir(account, { recursive: true, mode: 0o700 });
  const token = join(account, "token");
  const renew = async () => {
    const target = { namespace, name: serviceAccount };
    const { status } = await client.of(ServiceAccount).token(target, { expirationSeconds: tokenSeconds });
    await writeFile(`${token}.new`, status?.token ?? "", { mode: 0o600 });
    await rename(`${token}.new`, token);
  };
  await renew();
  await writeFile(join(account, "namespace"), namespace);
  const authorityFile = join(account, "ca.crt");
  await writeFile(authorityFile, authority ?? "");
  const clientConfiguration = join(folder, "kubeconfig");
  const cluster = { server, ...(authority === undefined ? {} : { "certificate-authority": authorityFile }) };
  const configuration = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "host",
    clusters: [{ name: "host", cluster }],
    users: [{ name: serviceAccount, user: { tokenFile: token } }],
    contexts: [{ name: "host", context: { cluster: "host", user: serviceAccount, namespace } }],
  };
  await writeFile(clientConfiguration, JSON.stringify(configuration, null, 2), { mode: 0o600 });
  await chmod(folder, 0o700);
  let timer: NodeJS.Timeout;
  const later = (ms: number) => {
    timer = setTimeout(() => {
      renew().then(
        () => later(renewAfterMs),
        (error: unknown) => {
          onProblem(error);
          later(tryAgainMs);
        },
      );
    }, ms);
  };
  later(renewAfterMs);
  return { account, clientConfiguration, close: () => clearTimeout(timer) };
}
