import { inNextTurn } from "./turns.ts";

/** Counts the turns of the event loop until it is stopped. */
export function countTurns(): { readonly turn: number; stop(): void } {
  let turn = 0;
  let isOver = false;
  const next = () => {
    turn++;
    if (!isOver) inNextTurn(next);
  };
  inNextTurn(next);
  return {
    get turn() {
      return turn;
    },
    stop() {
      isOver = true;
    },
  };
}
