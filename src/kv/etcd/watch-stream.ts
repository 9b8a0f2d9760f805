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
  let opened: Awaited<ReturnType<EtcdConnection["stream"]>>;
  try {
    opened = await connection.stream(methods.watch);
  } catch (error) {
    return { how: "broken", error };
  }
  const { stream, leave } = opened;
  return new Promise((resolve) => {
    let isOver = false;
    const finish = (end: StreamEnd, isHung = false): void => {
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
    // Cancelling makes the stream report an error too; the first of the two decides, so this listener must stay registered.
    stream.on("error", (error) => finish({ how: "broken", error }));
    stream.on("end", () => finish({ how: "broken", error: new Error("etcd ended the watch") }));
    stream.on("data", (message: Buffer) => {
      if (isOver) return; // it was received before the end
      try {
        if (onResponse(readWatchResponse(message)) === "enough") finish({ how: "asked" });
      } catch (error) {
        finish({ how: "broken", error });
      }
    });
    signal.addEventListener("abort", ask);
    hung?.addEventListener("abort", giveUp);
    if (signal.aborted) ask();
    else stream.write(watchCreateRequest(create).finish());
  });
}
