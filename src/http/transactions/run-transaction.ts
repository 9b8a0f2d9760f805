/** POST of several operations that are stored together: each takes its steps as a request of its own, and one commit ends them all. */

import { nextTimeSlice } from "../../base/time-slice.ts";
import { StatusError, timeout, tooLarge, unsupportedMediaType } from "../../machinery/status/status.ts";
import type { Transaction } from "../../registry/contract/transaction.ts";
import { replyOfType } from "../answer/reply.ts";
import { sendStatus } from "../answer/respond.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { MemoryFetch } from "../contract/listener.ts";
import { transactionsGroup, transactionsVersion } from "../contract/transactions.ts";
import { refuseCompressed } from "../negotiation/content-type.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { createMemoryFetch } from "../transport/memory-exchange.ts";
import { type ReadOperation, readOperations } from "./operations.ts";

/** How often a transaction begins again because another writer was faster. */
export const transactionAttemptsMax = 8;

/**
 * Bytes of the answers of operations that store nothing, such as patches without a change: 128 short ones could answer 128 MB. What is
 * stored has a limit of its own.
 */
export const transactionAnswerBytesMax = 4 * 1024 * 1024;

/** Handles a request that is part of the one of `whole`. */
export type HandlePart = (exchange: Exchange, whole: Call, transaction: Transaction) => void | Promise<void>;

/** The answer to one operation. */
interface Answer {
  readonly code: number;
  /** JSON. */
  readonly text: string;
}

export async function runTransaction(context: ServerContext, call: Call, handlePart: HandlePart): Promise<void> {
  refuseCompressed(call.exchange);
  const type = call.exchange.header("content-type") ?? "application/json";
  if (!/^application\/json\s*(;|$)/i.test(type)) throw unsupportedMediaType(["application/json"]);
  const bytes = await context.bodies.read(call);
  const operations = await readOperations(bytes, {
    catalog: context.catalog,
    delegate: context.delegate,
    inherited: inheritedQuery(call),
  });
  for (let attempt = 1; attempt <= transactionAttemptsMax; attempt += 1) {
    const outcome = await new Attempt(context, call, handlePart).run(operations);
    if (outcome === "again") continue;
    if ("refused" in outcome) return sendRefusal(context, call, outcome);
    return sendResults(context, call, outcome.answers);
  }
  throw new StatusError("Conflict", "the objects of the transaction keep changing, please try again", {
    details: { retryAfterSeconds: 1 },
  });
}

const inheritedNames = ["dryRun", "fieldManager", "fieldValidation"];

function inheritedQuery({ info: { query } }: Call): URLSearchParams {
  const inherited = new URLSearchParams();
  for (const name of inheritedNames) for (const value of query.getAll(name)) inherited.append(name, value);
  return inherited;
}

interface Refused {
  readonly refused: ReadOperation;
  readonly answer: Answer;
}

/** Runs all operations once. */
class Attempt {
  readonly #call: Call;
  readonly #transaction: Transaction;
  readonly #fetch: MemoryFetch;
  readonly #answers: Promise<Answer>[] = [];
  /** The operations whose writes are held back, in their order. */
  readonly #held: number[] = [];
  #answerBytes = 0;

  constructor(context: ServerContext, call: Call, handlePart: HandlePart) {
    this.#call = call;
    const transaction = context.registry.begin();
    this.#transaction = transaction;
    this.#fetch = createMemoryFetch((exchange) => {
      const pending = handlePart(exchange, call, transaction);
      return pending instanceof Promise ? pending : undefined;
    });
  }

  async run(
    operations: readonly ReadOperation[],
  ): Promise<"again" | Refused | { readonly answers: readonly Answer[] }> {
    for (const [at, operation] of operations.entries()) {
      const answer = await this.#begin(operation, at).catch((error: unknown) => {
        this.#transaction.abandon();
        throw error;
      });
      if (answer === undefined) continue;
      if (answer.code < 400) {
        this.#answerBytes += answer.text.length;
        if (this.#answerBytes <= transactionAnswerBytesMax) continue;
        this.#transaction.abandon();
        throw tooLarge(
          `operations that store nothing may answer at most ${transactionAnswerBytesMax} bytes together; use expect for what is only read`,
        );
      }
      const refused = await this.#refuse(operation, answer);
      return this.#transaction.isBegunAgain ? "again" : refused;
    }
    if (this.#call.gone) {
      this.#transaction.abandon();
      throw timeout("the request has ended");
    }
    const outcome = await this.#transaction.commit();
    const answers = await Promise.all(this.#answers);
    if (outcome === "stored") return { answers };
    if (outcome === "moved" || this.#transaction.isBegunAgain) return "again";
    const at = this.#held[outcome.refused]!;
    return { refused: operations[at]!, answer: answers[at]! };
  }

  async #refuse(refused: ReadOperation, answer: Answer): Promise<Refused> {
    this.#transaction.abandon();
    await Promise.all(this.#answers);
    return { refused, answer };
  }

  /** The answer, if the operation has one already. Undefined: its write is held back. */
  async #begin(operation: ReadOperation, at: number): Promise<Answer | undefined> {
    await nextTimeSlice(); // others come in between
    if (this.#call.gone) throw timeout("the request has ended");
    const { size } = this.#transaction;
    const staged = this.#transaction.staged().then(() => undefined);
    const answered = this.#send(operation, at);
    if (operation.expectation === undefined) {
      this.#answers.push(answered);
      const answer = await Promise.race([staged, answered]);
      if (this.#transaction.size > size) this.#held.push(at);
      return answer;
    }
    const answer = this.#expect(operation, await answered);
    this.#answers.push(Promise.resolve(answer));
    return answer;
  }

  async #send({ method, target, headers, body }: ReadOperation, at: number): Promise<Answer> {
    const { exchange, signal, auditId } = this.#call;
    const agent = exchange.header("user-agent");
    const response = await this.#fetch(target, {
      method,
      headers: {
        accept: "application/json",
        "audit-id": `${auditId}.${at}`,
        ...(agent === undefined ? {} : { "user-agent": agent }),
        ...(exchange.remoteAddress === "" ? {} : { "x-forwarded-for": exchange.remoteAddress }),
        ...headers,
      },
      ...(body === "" ? {} : { body }),
      signal,
    });
    return { code: response.status, text: await response.text() };
  }

  /** Notes the revision at which the object has to be when all is stored. */
  #expect({ expectation, family, ref, path }: ReadOperation, answer: Answer): Answer {
    const { isAbsent = false, resourceVersion, uid } = expectation ?? {};
    if (answer.code === 404 && isAbsent) {
      this.#transaction.expect(family, ref, 0n);
      return { code: 200, text: "null" };
    }
    if (answer.code !== 200) return answer;
    const { metadata } = JSON.parse(answer.text) as { metadata: { resourceVersion: string; uid?: string } };
    const differs =
      isAbsent ||
      (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) ||
      (uid !== undefined && uid !== metadata.uid);
    if (!differs) {
      this.#transaction.expect(family, ref, BigInt(metadata.resourceVersion));
      return { code: 200, text: "null" };
    }
    const what = isAbsent
      ? "it exists"
      : `it has the uid ${metadata.uid} and the resourceVersion ${metadata.resourceVersion}`;
    const status = new StatusError(
      "Conflict",
      `${path}: ${family.hub.resource} "${ref.name}" is not as expected: ${what}`,
    );
    return { code: status.code, text: JSON.stringify(status.toStatus()) };
  }
}

/** The Status of the operation that failed, which says which one it was. */
function sendRefusal(context: ServerContext, call: Call, { refused, answer }: Refused): void {
  const found = new StatusError("InternalError", answer.text).toStatus();
  const status = answer.text.startsWith("{") ? (JSON.parse(answer.text) as typeof found) : found;
  const { causes = [], ...details } = status.details ?? {};
  const message = `${refused.path} (${refused.title}): ${status.message}`;
  sendStatus(context, call, answer.code, {
    ...status,
    message,
    details: {
      ...details,
      causes: [{ reason: "OperationFailed", message: status.message ?? "", field: refused.path }, ...causes],
    },
  });
}

/** The objects are sent as they were answered: nothing is parsed that only passes. */
function sendResults(context: ServerContext, call: Call, answers: readonly Answer[]): void | Promise<void> {
  const results = answers.map(({ code, text }) => `{"code":${code},"object":${text.trim() || "null"}}`);
  const reply = replyOfType(context, call, "application/json");
  return reply.send(
    `{"apiVersion":"${transactionsGroup}/${transactionsVersion}","kind":"Transaction","metadata":{},"status":{"results":[${results.join(",")}]}}`,
  );
}
