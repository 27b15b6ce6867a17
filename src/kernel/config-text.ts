// config.yaml as text: changed in single places, with its comments and everything else in it kept.
import type { Document } from 'yaml';
import { HubError } from './errors.ts';

/** `value` undefined takes away what stands there. */
export type ConfigChange = Readonly<{ path: readonly string[]; value: unknown }>;

export async function editConfigText(
  { path, text }: Readonly<{ path: string; text: string }>,
  changes: readonly ConfigChange[],
): Promise<string> {
  const { parseYaml } = await import('./yaml-text.ts');
  let edited = text;
  for (const change of changes) {
    const { document, problem } = parseYaml(edited);
    if (problem !== undefined)
      throw new HubError('invalid', `${path} is not valid YAML: ${problem}`, {
        path,
        hint: 'Correct it with `holdfast config edit`.',
      });
    edited = (await replaceScalar(edited, document, change)) ?? restructure(document, change);
  }
  return edited;
}

/** A plain value where a plain value stands: those letters alone are exchanged, and what is said behind it stays. */
async function replaceScalar(
  text: string,
  document: Document.Parsed,
  { path, value }: ConfigChange,
): Promise<string | undefined> {
  const { isScalar, stringify } = await import('yaml');
  const found = document.getIn(path, true);
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  if (!isPlain || !isScalar(found) || !found.range || found.anchor !== undefined) return undefined;
  const [start, end] = found.range;
  const written = stringify(value, { lineWidth: 0 }).trimEnd();
  const isOneLine = end > start && !written.includes('\n') && !text.slice(start, end).includes('\n');
  return isOneLine ? text.slice(0, start) + written + text.slice(end) : undefined;
}

function restructure(document: Document.Parsed, { path, value }: ConfigChange): string {
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

/** Under these names stand credentials as often as not. */
const KEPT = /^(?:env|headers|.*(?:secret|token|password|key))$/i;
const HIDDEN = '(hidden)';

/** The same with every value hidden that may be a secret, and else letter by letter: what a page shows. */
export async function maskConfigText(text: string): Promise<string> {
  const { visit, isScalar } = await import('yaml');
  const { parseYaml } = await import('./yaml-text.ts');
  const hidden: (readonly [start: number, end: number])[] = [];
  visit(parseYaml(text).document, {
    Scalar(place, { range }, parents) {
      const names = parents.map((each) =>
        'key' in each && isScalar(each.key) ? String(each.key.value) : '',
      );
      if (place !== 'key' && range && range[1] > range[0] && names.some((name) => KEPT.test(name)))
        hidden.push([range[0], range[1]]);
    },
  });
  return hidden
    .toSorted(([a], [b]) => b - a)
    .reduce((shown, [start, end]) => shown.slice(0, start) + HIDDEN + shown.slice(end), text);
}
