/** serviceaccount-token: gives every account a Secret with a token, and deletes token Secrets with their account. */

import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { ResourceClient } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason, ifThere, isNamespaceTerminating } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { accountOf, filled, hasListedToken, isTokenOf, missingParts, tokenNames } from "./reconcile.ts";

/** Letters and digits of generated names, chosen so that they form no words. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;

export const serviceAccountToken: Controller = {
  name: "serviceaccount-token",
  start({ client, informers, vocabulary, settings, random, queue: createQueue }) {
    const { signAccountToken: sign, rootCa } = settings;
    if (sign === undefined) return undefined;
    const names = tokenNames(vocabulary);
    const accounts = informers.of(ServiceAccount);
    const secrets = informers.of(Secret, { fieldSelector: `type=${names.type}` });
    const secretsByAccount = secrets.index("account", (secret) => {
      const account = accountOf(secret, names);
      return account === undefined ? [] : [`${secret.metadata.namespace ?? ""}/${account}`];
    });

    const tokenFor = (account: ServiceAccount, secretName: string) => {
      const { name = "", namespace = "", uid = "" } = account.metadata;
      return sign({ namespace, account: { name, uid }, secretName });
    };

    /** Creates a Secret and lists it; a Secret that could not be listed is deleted again. */
    const giveToken = async (account: ServiceAccount) => {
      const { name: accountName = "", namespace = "", uid } = account.metadata;
      const suffix = Array.from({ length: suffixLength }, () => suffixAlphabet[random(suffixAlphabet.length)]).join("");
      const name = `${accountName}-token-${suffix}`;
      const draft = { metadata: { namespace, name }, type: names.type };
      const token = await tokenFor(account, name);
      const made = await client.of(Secret).create(filled(draft, account, { token, rootCa }, names));
      let isListed = false;
      try {
        const live = await client.of(ServiceAccount).get({ namespace, name: accountName });
        const secretOf = (listed: string) => secrets.get(`${namespace}/${listed}`);
        if (live.metadata.uid === uid && !hasListedToken(live, secretOf, names)) {
          await client.of(ServiceAccount).update({ ...live, secrets: [...(live.secrets ?? []), { name }] });
          isListed = true;
        }
      } finally {
        const reason = "its account is gone, or has another token by now";
        if (!isListed) await ifThere(client.of(Secret).delete({ namespace, name }, { uid: made.metadata.uid, reason }));
      }
    };

    const accountQueue = createQueue({
      name: "serviceaccount_tokens_service",
      workers: settings.concurrentServiceaccountTokenSyncs,
      after: [accounts, secrets],
      async sync(key) {
        const account = accounts.get(key);
        if (account === undefined) {
          for (const secret of secretsByAccount.get(key)) secretQueue.add(keyOf(secret));
          return;
        }
        const { namespace = "" } = account.metadata;
        if (account.metadata.deletionTimestamp) return;
        if (hasListedToken(account, (name) => secrets.get(`${namespace}/${name}`), names)) return;
        try {
          await giveToken(account);
        } catch (error) {
          // The account was deleted or changed, or its namespace is terminating; in each case a watch event follows.
          if (!hasReason(error, "NotFound") && !isNamespaceTerminating(error)) throw error;
        }
      },
    });

    /** The account of a Secret as the server has it now, where the copy does not have it. */
    const liveAccountOf = async (secret: Secret): Promise<ServiceAccount | undefined> => {
      const { namespace = "" } = secret.metadata;
      const name = accountOf(secret, names) ?? "";
      const known = accounts.get(`${namespace}/${name}`);
      if (known !== undefined && isTokenOf(secret, known, names)) return known;
      const live = await ifThere(client.of(ServiceAccount).get({ namespace, name }));
      return live !== undefined && isTokenOf(secret, live, names) ? live : undefined;
    };

    const secretQueue = createQueue({
      name: "serviceaccount_tokens_secret",
      workers: settings.concurrentServiceaccountTokenSyncs,
      after: [accounts, secrets],
      async sync(key) {
        const secret = secrets.get(key);
        if (secret === undefined || accountOf(secret, names) === undefined) return;
        const { uid, resourceVersion } = secret.metadata;
        const account = await liveAccountOf(secret);
        if (account === undefined) {
          await ifThere(
            client.of(Secret).delete(splitKey(key), { uid, resourceVersion, reason: "its account is gone" }),
          );
          return;
        }
        const missing = missingParts(secret, rootCa);
        if (missing === undefined) return;
        const token = missing.token ? await tokenFor(account, secret.metadata.name ?? "") : "";
        await ifThere(client.of(Secret).update(filled(secret, account, { token, rootCa }, names)));
      },
    });

    const addAccount = (account: ServiceAccount) => accountQueue.add(keyOf(account));
    const addSecret = (secret: Secret) => secretQueue.add(keyOf(secret));
    accounts.on({ add: addAccount, update: addAccount, delete: addAccount });
    secrets.on({
      add: addSecret,
      update: addSecret,
      delete(secret) {
        const { namespace = "", name = "" } = secret.metadata;
        const account = accountOf(secret, names) ?? "";
        unlistQueue.add(`${namespace}/${account}/${name}`);
      },
    });

    const unlistQueue = createQueue({
      name: "serviceaccount_tokens_reference",
      workers: settings.concurrentServiceaccountTokenSyncs,
      after: [accounts, secrets],
      async sync(key) {
        const [namespace = "", account = "", name = ""] = key.split("/");
        await unlist(client.of(ServiceAccount), { namespace, name: account }, name);
        accountQueue.add(`${namespace}/${account}`);
      },
    });
    return undefined;
  },
};

/** Removes a deleted Secret from the list of its account. */
async function unlist(
  accounts: ResourceClient<ServiceAccount>,
  ref: { readonly namespace: string; readonly name: string },
  secretName: string,
): Promise<void> {
  const account = await ifThere(accounts.get(ref));
  if (!account?.secrets?.some(({ name }) => name === secretName)) return;
  const kept = account.secrets.filter(({ name }) => name !== secretName);
  await ifThere(accounts.update({ ...account, secrets: kept }));
}
