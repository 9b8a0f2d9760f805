/** Keeps the process alive while something is waited for: timers and stores of a server alone never do. */

/** Each call begins a wait, and the function that it returns ends it. */
export type ProcessHold = () => () => void;

/** The longest delay of a timer. */
const foreverMs = 2 ** 31 - 1;

export function createProcessHold(): ProcessHold {
  let waits = 0;
  let timer: NodeJS.Timeout | undefined;
  return () => {
    waits += 1;
    timer ??= setInterval(() => {}, foreverMs);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      waits -= 1;
      if (waits > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
}
