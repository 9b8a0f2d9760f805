/** One client for each controller, each with its own service account: --use-service-account-credentials of the controller manager. */

import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { Clock } from "../../base/clock.ts";
import { createClient } from "../../client/client.ts";
import type { Client, Fetch } from "../../client/contract.ts";
import type { ObserveRequest } from "../../client/requests/metrics.ts";
import { hasReason, type UserAgent } from "../../client/requests/send.ts";

interface AccountClientsOptions {
  /** Creates accounts and their tokens. */
  readonly client: Client;
  /** The server without a credential; each request carries its token. */
  readonly bare: Fetch;
  readonly clock: Clock;
  readonly userAgent: UserAgent;
  readonly observe?: ObserveRequest;
}

const tokenSeconds = 3_600;

/** Tokens are requested when they are needed, and again after half of their lifetime. */
export function createAccountClients({
  client,
  bare,
  clock,
  userAgent,
  observe,
}: AccountClientsOptions): (account: string) => Client {
  const { vocabulary } = client;
  const namespace = vocabulary.word("orch-system");
  const made = new Map<string, Client>();
  const tokenOf = async (name: string): Promise<string> => {
    try {
      await client.of(ServiceAccount).create({ metadata: { namespace, name } });
    } catch (error) {
      if (!hasReason(error, "AlreadyExists")) throw error;
    }
    const body = { spec: { expirationSeconds: tokenSeconds } };
    const answer = await client
      .of(ServiceAccount)
      .subresource<{ status: { token: string } }>({ namespace, name }, "token", body);
    return answer.status.token;
  };
  return (account) => {
    const known = made.get(account);
    if (known !== undefined) return known;
    let token: Promise<string> | undefined;
    let askedMs = 0;
    const current = () => {
      if (token === undefined || clock.monotonic() - askedMs > (tokenSeconds / 2) * 1_000) {
        askedMs = clock.monotonic();
        token = tokenOf(account).catch((error: unknown) => {
          token = undefined;
          throw error;
        });
      }
      return token;
    };
    const fetch: Fetch = async (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${await current()}`);
      const response = await bare(path, { ...init, headers });
      if (response.status === 401) token = undefined; // the account may have been recreated
      return response;
    };
    const own = createClient({ fetch, vocabulary, clock, userAgent, observe });
    made.set(account, own);
    return own;
  };
}
