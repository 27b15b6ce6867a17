import type { Source } from './type-names.ts';

/** A file that is longer than this does not fit on a page, so it says first what lives there. */
const LONG = 100;
const IMPORTS = /^(?:(?:import|export) [^;]*? from '[^']*';\n|import '[^']*';\n|#!.*\n|\s*\n)+/;

/** Long files that open with code: neither before their imports nor right after them is anything said. */
export function findSilentOpenings(sources: readonly Source[]): string[] {
  const long = sources.filter(({ text }) => text.split('\n').length - 1 > LONG);
  return long
    .filter(({ text }) => !isSaying(text) && !isSaying(text.replace(IMPORTS, '')))
    .map(({ path }) => path);
}

function isSaying(text: string): boolean {
  return /^\s*\/[/*]/.test(text);
}
