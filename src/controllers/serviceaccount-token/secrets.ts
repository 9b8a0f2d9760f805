/** Token Secrets and their accounts: what the queues of the controller read, and the plans that follow. */

import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { ControllerContext } from "../contract.ts";
import type { Plan } from "../plan.ts";
import type { Settings } from "../settings.ts";
import {
  accountOf,
  filled,
  hasListedToken,
  isTokenOf,
  missingParts,
  newTokenName,
  planSecret,
  planToken,
  tokenNames,
} from "./reconcile.ts";

type Sign = NonNullable<Settings["signAccountToken"]>;

export function createTokenSecrets(context: ControllerContext, sign: Sign) {
  const { client, informers, random, settings } = context;
  const { rootCa } = settings;
  const names = tokenNames(context.vocabulary);
  const accounts = informers.of(ServiceAccount);
  const secrets = informers.of(Secret, { fieldSelector: `type=${names.type}` });
  const accountKeyOf = (secret: Secret) => `${secret.metadata.namespace ?? ""}/${accountOf(secret, names) ?? ""}`;
  const byAccount = secrets.index("account", (secret) =>
    accountOf(secret, names) === undefined ? [] : [accountKeyOf(secret)],
  );
  const tokenFor = ({ metadata }: ServiceAccount, secretName: string) => {
    const { name = "", namespace = "", uid = "" } = metadata;
    return sign({ namespace, account: { name, uid }, secretName });
  };
  const hasToken = (account: ServiceAccount) =>
    hasListedToken(account, (name) => secrets.get(`${account.metadata.namespace ?? ""}/${name}`), names);
  /** The account of a Secret as the server has it now, where the cache does not have it. */
  const liveAccountOf = async (secret: Secret): Promise<ServiceAccount | undefined> => {
    const { namespace = "" } = secret.metadata;
    const name = accountOf(secret, names) ?? "";
    const known = accounts.get(`${namespace}/${name}`);
    if (known !== undefined && isTokenOf(secret, known, names)) return known;
    const live = await ifThere(client.of(ServiceAccount).get({ namespace, name }));
    return live !== undefined && isTokenOf(secret, live, names) ? live : undefined;
  };
  return {
    accounts,
    secrets,
    accountKeyOf,
    /** Keys of the Secrets of an account. */
    keysOf: (account: string): readonly string[] => byAccount.get(account).map(keyOf),
    async planAccount(account: ServiceAccount): Promise<Plan | undefined> {
      if (!context.has("accountTokens")) return undefined;
      if (account.metadata.deletionTimestamp || hasToken(account)) return undefined;
      const name = newTokenName(account, random);
      const draft = { metadata: { namespace: account.metadata.namespace ?? "", name }, type: names.type };
      const token = await tokenFor(account, name);
      return planToken(account, filled(draft, account, { token, rootCa }, names), hasToken);
    },
    async planSecret(secret: Secret): Promise<Plan | undefined> {
      if (accountOf(secret, names) === undefined) return undefined;
      const account = await liveAccountOf(secret);
      const missing = missingParts(secret, rootCa);
      if (account !== undefined && missing === undefined) return undefined;
      const token = account && missing?.token ? await tokenFor(account, secret.metadata.name ?? "") : "";
      return planSecret(secret, account, { token, rootCa }, names);
    },
  };
}
