/** What a server under test answered, for cases that speak nothing but HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Of an answer in JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the cases look into answers of every kind
  readonly body: any;
}
