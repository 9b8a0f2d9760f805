/** One watch on one connection: passes on what etcd sends until the watch ends. */

import type { EtcdConnection } from "./connection.ts";
import { methods, readWatchResponse, type WatchCreate, type WatchResponse, watchCreateRequest } from "./messages.ts";

/** How a watch ended: on our request, or because it broke. The listener may end it by returning "enough". */
type StreamEnd = { readonly how: "asked" } | { readonly how: "broken"; readonly error: unknown };

export async function streamWatch(
  connection: EtcdConnection,
  create: WatchCreate,
  signal: AbortSignal,
  onResponse: (response: WatchResponse) => "more" | "enough",
  /** Aborts when the endpoint is considered hung: the watch then leaves it, as if the stream had broken. */
  hung?: AbortSignal,
): Promise<StreamEnd> {
  if (signal.aborted) return { how: "asked" };
  /** How it ended before anybody could be told: a call to a server that is known to be gone fails at once. */
  let early: StreamEnd | undefined;
  let finish = (end: StreamEnd, _isHung = false): void => {
    early ??= end;
  };
  let isOver = false;
  const listener = {
    message(message: Buffer) {
      try {
        if (onResponse(readWatchResponse(message)) === "enough") finish({ how: "asked" });
      } catch (error) {
        finish({ how: "broken", error });
      }
    },
    end: (error: Error = new Error("etcd ended the watch")) => finish({ how: "broken", error }),
  };
  let opened: Awaited<ReturnType<EtcdConnection["stream"]>>;
  try {
    opened = await connection.stream(methods.watch, listener);
  } catch (error) {
    return { how: "broken", error };
  }
  const { stream, leave } = opened;
  return new Promise((resolve) => {
    finish = (end, isHung = false) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener("abort", ask);
      hung?.removeEventListener("abort", giveUp);
      stream.cancel();
      if (end.how === "broken") leave(isHung);
      resolve(end);
    };
    const ask = (): void => finish({ how: "asked" });
    const giveUp = (): void => finish({ how: "broken", error: new Error("etcd sends no events") }, true);
    signal.addEventListener("abort", ask);
    hung?.addEventListener("abort", giveUp);
    if (early !== undefined) finish(early);
    else if (signal.aborted) ask();
    else stream.write(watchCreateRequest(create).finish());
  });
}
