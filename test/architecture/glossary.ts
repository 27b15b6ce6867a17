import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './type-names.ts';

const ROW = /^\| ([^|]+) \| [^|]+ \|/gm;

/** The words of the glossary, in its order. */
export function readTerms(root: string): string[] {
  const text = readFileSync(join(root, 'docs/reference/glossary.md'), 'utf8');
  return [...text.matchAll(ROW)].map(([, term = '']) => term).filter((term) => term !== 'word');
}

/** Words that the sources do not use, however they join them: `dead letter`, `dead-letter`, `deadLetter`. */
export function findUnusedTerms(terms: readonly string[], sources: readonly Source[]): string[] {
  const text = sources.map((each) => `${each.path}\n${each.text}`).join('\n');
  return terms.filter((term) => !new RegExp(term.replaceAll(' ', String.raw`[\s*_-]*`), 'i').test(text));
}
