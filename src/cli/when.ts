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

function two(value: number): string {
  return String(value).padStart(2, '0');
}
