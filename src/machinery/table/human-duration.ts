/** A duration or an age for people: the longer it is, the coarser its units. */

/** "5s", "119s", "3m12s", "45m", "5h10m", "2d3h", "400d", "3y20d"; `<invalid>` for the future. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // Clocks of two machines may differ by a second.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${part(seconds % 60, "s")}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return `${hours}h${part(minutes % 60, "m")}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return `${days}d${part(hours % 24, "h")}`;
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? `${years}y${part(days % 365, "d")}` : `${years}y`;
}

function part(count: number, unit: string): string {
  return count === 0 ? "" : `${count}${unit}`;
}
