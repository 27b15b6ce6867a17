/** "1 file", "3 files". */
export function count(many: number, what: string): string {
  return `${many.toLocaleString()} ${what}${many === 1 ? '' : 's'}`;
}
