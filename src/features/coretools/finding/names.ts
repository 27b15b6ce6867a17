import { HubError } from '../../../kernel/errors.ts';
import { TYPES } from './query.ts';

export function escapeGlob(name: string): string {
  return name.replace(/[\\*?[\]{}!()+@|]/g, '\\$&');
}

/** A glob of the caller, who stands in `base`, as one of the workspace: with a slash it starts there, without one it fits anywhere. */
export function globFrom(base: string, glob: string): string {
  const isNot = glob.startsWith('!');
  const plain = (isNot ? glob.slice(1) : glob).replace(/^\.\//, '');
  const anchored = plain.includes('/') && base !== '' ? `${escapeGlob(base)}/${plain}` : plain;
  return `${isNot ? '!' : ''}${anchored.includes('/') ? anchored : `**/${anchored}`}`;
}

export function endingsOf(type: string): readonly string[] {
  const endings = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (endings) return endings;
  throw new HubError('invalid', `type must be one of ${Object.keys(TYPES).join(', ')}; got ${JSON.stringify(type)}.`);
}
