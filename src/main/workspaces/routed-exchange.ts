/** A request as the server that it is for sees it: with another target, and perhaps a user who is known already. */

import type { PeerCertificate } from "../../authn/contract.ts";
import type { AnswerBody, Exchange, ProtocolUpgrade, ResponseHeaders } from "../../http/contract/exchange.ts";
import type { User } from "../../machinery/meta/user.ts";

export class RoutedExchange implements Exchange {
  readonly target: string;
  readonly presetUser: User | undefined;
  readonly userNow: Exchange["userNow"];
  readonly refusal: Exchange["refusal"];
  readonly #inner: Exchange;

  constructor(
    inner: Exchange,
    target: string,
    user: User | undefined,
    { userNow, refusal }: Pick<Exchange, "userNow" | "refusal"> = {},
  ) {
    this.#inner = inner;
    this.target = target;
    this.presetUser = user;
    this.userNow = userNow;
    this.refusal = refusal;
  }

  get transport(): Exchange["transport"] {
    return this.#inner.transport;
  }
  get method(): string {
    return this.#inner.method;
  }
  get remoteAddress(): string {
    return this.#inner.remoteAddress;
  }
  get connection(): object | undefined {
    return this.#inner.connection;
  }
  get certificate(): PeerCertificate | undefined {
    return this.#inner.certificate;
  }
  get signal(): AbortSignal {
    return this.#inner.signal;
  }
  get gone(): boolean {
    return this.#inner.gone;
  }
  get upgrade(): ProtocolUpgrade | undefined {
    return this.#inner.upgrade;
  }
  get responded(): boolean {
    return this.#inner.responded;
  }
  get status(): number {
    return this.#inner.status;
  }
  get bufferedBytes(): number {
    return this.#inner.bufferedBytes;
  }
  get sentBytes(): number {
    return this.#inner.sentBytes;
  }

  header(name: string): string | undefined {
    return this.#inner.header(name);
  }
  headerValues(name: string): readonly string[] {
    return this.#inner.headerValues(name);
  }
  headerNames(): readonly string[] {
    return this.#inner.headerNames();
  }
  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer> {
    return this.#inner.readBody(bytesMax, onBytes);
  }
  body(): AsyncIterable<Buffer> {
    return this.#inner.body();
  }
  fixHeaders(headers: readonly string[]): void {
    this.#inner.fixHeaders(headers);
  }
  send(status: number, headers: ResponseHeaders, body?: AnswerBody): void {
    this.#inner.send(status, headers, body);
  }
  respond(status: number, headers: ResponseHeaders): void {
    this.#inner.respond(status, headers);
  }
  respondEvents(headers: ResponseHeaders): void {
    this.#inner.respondEvents(headers);
  }
  write(chunk: Buffer, release?: () => void): boolean {
    return this.#inner.write(chunk, release);
  }
  drained(): Promise<void> {
    return this.#inner.drained();
  }
  end(): void {
    this.#inner.end();
  }
  closeAfter(): void {
    this.#inner.closeAfter();
  }
  destroy(): void {
    this.#inner.destroy();
  }
  onFinish(callback: () => void): void {
    this.#inner.onFinish(callback);
  }
}
