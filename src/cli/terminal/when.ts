/** Times for people: in the zone of their terminal, to the second. `--json` has milliseconds or ISO instead. */
export function localTime(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockTime(at)}`;
}

/** The same to the minute; a dash when it never happened. */
export function localMinute(at: number | null): string {
  return at === null ? '-' : localTime(at).slice(0, 16);
}

export function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/** How long it was, in one number. */
export function ago(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))}s`;
  if (minutes < 120) return `${minutes}m`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
