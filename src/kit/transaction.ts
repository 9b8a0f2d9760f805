/** `client.transaction`: reads and writes that count together. */

import { anObject, checkOptions, count, filled, flag, oneOf } from "../base/check-options.ts";
import type { Clock } from "../base/clock.ts";
import type { AnyObject, KindTraits, ServedKind, Stored } from "../client/contract.ts";
import { splitKey } from "../client/informer/keys.ts";
import { apiVersionOf } from "../client/requests/address.ts";
import { retryOnConflict } from "../client/requests/retry-on-conflict.ts";
import type { Sender } from "../client/requests/send.ts";
import { sendTransaction, type TransactionOperation } from "../client/requests/transactions.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Resource, Target, TransactionCalls, TransactionOptions, TransactionResource } from "./contract.ts";

interface Around {
  readonly namespace: string;
  readonly send: Sender;
  readonly clock: Clock;
  of<T extends AnyObject, K extends KindTraits>(kind: ServedKind<T, K>): Resource<T, K>;
}

export async function runTransaction(
  { send, clock, of, namespace }: Around,
  change: readonly TransactionOperation[] | ((tx: TransactionCalls) => unknown),
  given: TransactionOptions = {},
): Promise<readonly (Stored<ApiObject> | undefined)[]> {
  checkOptions("transaction", given, {
    dryRun: flag,
    manager: filled,
    fieldValidation: oneOf("Ignore", "Warn", "Strict"),
    attempts: count(1),
    signal: anObject,
  });
  const { manager: fieldManager, dryRun, fieldValidation, attempts, signal } = given;
  const options = { dryRun, fieldManager, fieldValidation, signal };
  if (typeof change !== "function") return objectsOf(await sendTransaction(send, change, options));
  return retryOnConflict(
    async () => {
      const made = new Operations(of, namespace);
      await change(made);
      const { expectations, writes } = made;
      const results = await sendTransaction(send, [...expectations, ...writes], options);
      return objectsOf(results.slice(expectations.length));
    },
    { attempts, signal, clock },
  );
}

const objectsOf = (results: readonly { readonly object: unknown }[]) =>
  results.map(({ object }) => (object ?? undefined) as Stored<ApiObject> | undefined); // as the server stores it

class Operations implements TransactionCalls {
  readonly expectations: TransactionOperation[] = [];
  readonly writes: TransactionOperation[] = [];
  readonly #of: Around["of"];
  readonly #namespace: string;

  constructor(of: Around["of"], namespace: string) {
    this.#of = of;
    this.#namespace = namespace;
  }

  add(operation: TransactionOperation): void {
    this.writes.push(operation);
  }

  of<T extends AnyObject, K extends KindTraits>(kind: ServedKind<T, K>): TransactionResource<T, K> {
    const calls = this.#of(kind);
    const { address } = calls;
    const type = { apiVersion: apiVersionOf(address), kind: address.kind };
    const typed = <O extends { readonly metadata: { readonly namespace?: string | undefined } }>(object: O) => {
      const place = address.namespaced ? { namespace: object.metadata.namespace || this.#namespace } : {};
      return { ...type, ...object, metadata: { ...object.metadata, ...place } };
    };
    const named = (target: Target) => {
      const ref = typeof target === "string" ? splitKey(target) : "metadata" in target ? target.metadata : target;
      return typed({ metadata: { namespace: ref.namespace, name: ref.name } });
    };
    const expect = (object: object, absent?: true) =>
      this.expectations.push({ operation: "expect", object, ...(absent && { absent }) });
    const find = async (target: Target) => {
      const object = await calls.find(target);
      if (object === undefined) expect(named(target), true);
      else {
        const { name, namespace, uid, resourceVersion } = object.metadata;
        expect({ ...type, metadata: { name, namespace, uid, resourceVersion } });
      }
      return object;
    };
    return {
      find,
      get: async (target) => (await find(target)) ?? calls.get(target),
      create: (object) => this.add({ operation: "create", object: typed(object as T) }),
      update: (object) => this.add({ operation: "update", object: typed(object as T) }),
      apply: (object, { manager, force }) =>
        this.add({ operation: "apply", object: typed(object), fieldManager: manager, force }),
      patch: (target, patch, { type: patchType } = {}) =>
        this.add({ operation: "patch", object: named(target), patch, patchType }),
      delete: (target, { uid, resourceVersion, ...rest } = {}) =>
        this.add({
          operation: "delete",
          object: named(target),
          options: { ...rest, preconditions: { uid, resourceVersion } },
        }),
    };
  }
}
