/** Lists that are answered as an earlier one was, as a cache that lags behind answers. */

import { type Exchange, type ResponseHeaders, wholeBody } from "../../http/contract/exchange.ts";
import { overrideExchange } from "../../http/contract/override-exchange.ts";

/** How many different lists a fault remembers. */
export const rememberedMax = 100;

interface Answer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
}

export interface StaleLists {
  /** The answer of the exchange is remembered, or replaced by one that is. `hit` is called if it is replaced. */
  pass(exchange: Exchange, turn: { readonly isTurn: boolean; hit(): void }): Exchange;
}

export function createStaleLists(): StaleLists {
  const remembered = new Map<string, Answer>();
  return {
    pass(exchange, { isTurn, hit }) {
      const key = [exchange.target, exchange.header("accept"), exchange.header("accept-encoding")].join("\n");
      const answer = (given: Answer): void => {
        const old = remembered.get(key);
        const isHit = isTurn && old !== undefined;
        if (isHit) hit();
        else if (given.status === 200 && (old !== undefined || remembered.size < rememberedMax))
          remembered.set(key, given);
        const { status, headers, body } = isHit ? old : given;
        exchange.send(status, headers, body);
      };
      return gathering(exchange, answer);
    },
  };
}

/** Hands over the whole answer when it is complete. */
function gathering(exchange: Exchange, answer: (given: Answer) => void): Exchange {
  let begun: Pick<Answer, "status" | "headers"> | undefined;
  const chunks: Buffer[] = [];
  return overrideExchange(exchange, {
    send: (status, headers, body = "") => answer({ status, headers, body: Buffer.from(wholeBody(body)) }),
    respond(status, headers) {
      begun = { status, headers };
    },
    write(chunk) {
      if (begun === undefined) return exchange.write(chunk);
      chunks.push(Buffer.from(chunk)); // the writer may use its buffer again
      return true;
    },
    end() {
      if (begun === undefined) exchange.end();
      else answer({ ...begun, body: Buffer.concat(chunks) });
    },
  });
}
