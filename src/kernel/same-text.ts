/**
 * Two texts say the same when nothing but case, white space and the mark at their end differs. Nothing else is forgiven:
 * a minus, a comma in a number or a question mark change what is said.
 */
export function sameTextKey(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\s.!…;,:]+$/u, '');
}
