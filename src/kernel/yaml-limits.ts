/**
 * What YAML of somebody else may be, looked at before it is parsed. The parser compares every key of a map with all
 * others and walks the document for every anchor, so that a small text can take it a minute; within these bounds it
 * cannot. Counts are of signs, wherever they stand: too strict for a novel, far beyond any head of a file.
 */
export type YamlLimits = Readonly<{ bytes: number; keys: number; anchors: number }>;

/** For what is parsed where it is: the head of a memory, the block of a strategy. */
export const SMALL_YAML: YamlLimits = { bytes: 64 * 1024, keys: 1_000, anchors: 100 };
/** For what is parsed in a process of its own. */
export const LARGE_YAML: YamlLimits = { bytes: 256 * 1024, keys: 20_000, anchors: 200 };

const MOST_DEPTH = 64;

/** Why it is not parsed; undefined when it may be. */
export function yamlProblem(text: string, limits: YamlLimits): string | undefined {
  if (Buffer.byteLength(text) > limits.bytes) return `it has more than ${limits.bytes} bytes`;
  const count = (sign: RegExp) => text.match(sign)?.length ?? 0;
  if (count(/[:?]/g) > limits.keys || (text.includes('{') && count(/,/g) > limits.keys))
    return `it has more than ${limits.keys} keys`;
  if (count(/(?<![^\s[{,:-])[&*][^\s,[\]{}]/g) > limits.anchors)
    return `it has more than ${limits.anchors} anchors and aliases`;
  if (depthOf(text) > MOST_DEPTH) return `it is nested more than ${MOST_DEPTH} levels deep`;
  return undefined;
}

/** Brackets that are open at once, dashes and question marks that open several lists in one line, and indentation. */
function depthOf(text: string): number {
  let [deepest, open] = [0, 0];
  for (const [sign] of text.matchAll(/[[{\]}]|^(?:[ \t]*[-?:][ \t])+/gm)) {
    if (sign === '[' || sign === '{') deepest = Math.max(deepest, (open += 1));
    else if (sign === ']' || sign === '}') open = Math.max(0, open - 1);
    else deepest = Math.max(deepest, sign.match(/[-?:]/g)!.length);
  }
  return Math.max(deepest, indentations(text));
}

/** Levels of indentation that are open at once: a line that is further in opens one, one that is further out closes some. */
function indentations(text: string): number {
  const levels: number[] = [];
  let deepest = 0;
  for (const [, space] of text.matchAll(/^( *)[^\s#]/gm)) {
    while (levels.length > 0 && levels.at(-1)! > space!.length) levels.pop();
    if (levels.at(-1) !== space!.length) levels.push(space!.length);
    deepest = Math.max(deepest, levels.length);
  }
  return deepest;
}
