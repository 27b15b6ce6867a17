// A day as it is written everywhere, `2026-12-31`: of no place in particular, and it sorts as it reads.

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && dayOf(at) === text;
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
