/** Sends several operations that a server of ours stores together, or not at all. */

import { isObject } from "../../machinery/json/json-value.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { FieldValidation } from "../contract.ts";
import { UnexpectedAnswer } from "./refusals.ts";
import type { Sender } from "./send.ts";

/**
 * One operation of a transaction, as it is sent. `object` says which object by its apiVersion, kind, namespace and name.
 * @example
 * const add: TransactionOperation = { operation: "create", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "tea" } } };
 */
export interface TransactionOperation {
  readonly operation: "create" | "update" | "apply" | "patch" | "delete" | "expect";
  readonly object: object;
  /** "status", for updates, applies and patches. */
  readonly subresource?: string | undefined;
  /** Of a patch. */
  readonly patch?: unknown;
  /** Default: "merge". */
  readonly patchType?: "merge" | "json" | "strategic" | undefined;
  /** The `manager` of other calls. Operations are sent as they are, so this has the name of the HTTP API. */
  readonly fieldManager?: string | undefined;
  /** Of an apply: whether to take over fields of other managers. */
  readonly force?: boolean | undefined;
  /** Of a delete: its preconditions, its grace period, its propagation policy. */
  readonly options?: object | undefined;
  /** Of an expectation: whether there must be no such object. */
  readonly absent?: boolean | undefined;
}

/**
 * The outcome of one operation.
 * @example
 * for (const { code, object } of await server.transaction(operations)) console.log(code, object);
 */
export interface OperationResult {
  readonly code: number;
  /** What is stored now, or what was deleted. Null: the operation stores nothing. */
  readonly object: unknown;
}

interface SendOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: FieldValidation | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The server does not know transactions.
 * @example
 * if (error instanceof TransactionsUnknown) console.error("this server is not orch, or an older one");
 */
export class TransactionsUnknown extends Error {
  constructor() {
    super("the server does not know transactions: only orch does");
    this.name = "TransactionsUnknown";
  }
}

const group = "batch.orch.io/v1alpha1";
const path = `/apis/${group}/transactions`;

/** The results in the order of the operations. Throws the refusal of the one that failed; nothing is stored then. */
export async function sendTransaction(
  send: Sender,
  operations: readonly TransactionOperation[],
  { dryRun, fieldManager, fieldValidation, signal }: SendOptions,
): Promise<readonly OperationResult[]> {
  if (operations.length === 0) return [];
  const query = { dryRun: dryRun ? "All" : undefined, fieldManager, fieldValidation };
  const body = { apiVersion: group, kind: "Transaction", metadata: {}, spec: { operations } };
  const answer = await send.json(path, { method: "POST", query, body, signal }).catch((error: unknown) => {
    throw isUnknown(error) ? new TransactionsUnknown() : error;
  });
  const status = isObject(answer) ? answer["status"] : undefined;
  const results = isObject(status) ? status["results"] : undefined;
  if (!Array.isArray(results)) throw new UnexpectedAnswer(`POST ${path}`, "a Transaction", JSON.stringify(answer));
  return results as OperationResult[]; // one for each operation
}

/** A refusal of an operation names it; other servers know no such path, or nobody there may use it. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 403)) return false;
  return refusedOperation(error) === undefined;
}

/** The operation for which a transaction was refused, and why. Undefined: the transaction itself was. */
export function refusedOperation({
  details,
}: StatusError): { readonly at: number; readonly message: string } | undefined {
  const { reason, field = "", message = "" } = details?.causes?.[0] ?? {};
  const at = /^spec\.operations\[(\d+)\]$/.exec(field)?.[1];
  return reason !== "OperationFailed" || at === undefined ? undefined : { at: Number(at), message };
}
