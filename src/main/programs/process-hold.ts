/** Keeps the process alive while something is waited for: timers and stores of a server alone never do. */

/** Each call begins a wait, and the function that it returns ends it. */
export type ProcessHold = () => () => void;

/** The longest delay of a timer. */
const foreverMs = 2 ** 31 - 1;

/** Its timer stays, and counts only during a wait: to start one for each request would cost more than a read does otherwise. */
export function createProcessHold(): ProcessHold {
  let waits = 0;
  let timer: NodeJS.Timeout | undefined;
  return () => {
    waits += 1;
    if (timer === undefined) timer = setInterval(() => {}, foreverMs);
    else if (waits === 1) timer.ref();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      waits -= 1;
      if (waits === 0) timer?.unref();
    };
  };
}
