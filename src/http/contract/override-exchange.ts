/** An exchange some of whose methods are replaced, for what has to know when and how a request is answered. */

import type { Exchange } from "./exchange.ts";

export function overrideExchange(exchange: Exchange, heard: Partial<Exchange>): Exchange {
  return new Proxy(exchange, {
    get(target, key) {
      if (Object.hasOwn(heard, key)) return heard[key as keyof Exchange];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
