/** Local time of a zone: the day and hour at an instant, and when a day begins. */

export interface WallTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 0: Sunday. */
  readonly weekday: number;
}

export interface WallClock {
  at(ms: number): WallTime;
  /** When the day begins. `month` and `day` may be one too many: the next month or year is meant. */
  startOfDayMs(year: number, month: number, day: number): number;
}

/** The zone of the process, as the variable TZ says. */
export const localClock: WallClock = {
  at(ms) {
    const date = new Date(ms);
    return {
      year: date.getFullYear(),
      month: date.getMonth() + 1,
      day: date.getDate(),
      hour: date.getHours(),
      minute: date.getMinutes(),
      weekday: date.getDay(),
    };
  },
  startOfDayMs: (year, month, day) => new Date(year, month - 1, day).getTime(),
};
