/** Since or until what a fact says that it holds, in its own words. Kept as text: nobody here knows when v3 was. */
const SINCE_OR_UNTIL =
  /\b(?:(?:since|until|till|as of|starting (?:with|from)|up to|before|after|from)\s+(?:version\s+|release\s+|node\s+|python\s+)?v?\d+(?:\.\d+|\.x)*(?:\s+(?:on|onwards?))?\b(?!\s*(?:%|ms|s\b|seconds?|minutes?|hours?|days?|weeks?|months?|years?|a\.?m|p\.?m|o'clock|:\d))|(?:since|until|till)\s+(?:we|they|the|it|i|she|he|our)\s+[^.;,()\n]{3,60})/iu;

export function holdsIn(content: string): string | undefined {
  const found = SINCE_OR_UNTIL.exec(content.slice(0, 4_000))?.[0].trim().replace(/\s+/g, ' ');
  return found === undefined || found === '' ? undefined : found;
}
