import { HubError } from '../../../kernel/errors.ts';
import { TYPES } from './query.ts';

export function escapeGlob(name: string): string {
  return name.replace(/[\\*?[\]{}!()+@|]/g, '\\$&');
}

/**
 * A glob of the caller, who stands in `base`, as one of the workspace: with a slash it starts there, else it
 * fits anywhere.
 */
export function globFrom(base: string, glob: string): string {
  const { mark, plain } = partsOf(glob);
  const anchored = plain.includes('/') && base !== '' ? `${escapeGlob(base)}/${plain}` : plain;
  return `${mark}${anchored.includes('/') ? anchored : `**/${anchored}`}`;
}

/** A glob that starts in its folder, with or without a slash in it. */
export function anchoredGlob(folder: string, glob: string): string {
  const { mark, plain } = partsOf(glob);
  return `${mark}/${folder === '' ? '' : `${escapeGlob(folder)}/`}${plain}`;
}

function partsOf(glob: string): { mark: '!' | ''; plain: string } {
  const isNot = glob.startsWith('!');
  return { mark: isNot ? '!' : '', plain: (isNot ? glob.slice(1) : glob).replace(/^\.\//, '') };
}

export function endingsOf(type: string): readonly string[] {
  const endings = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (endings) return endings;
  throw new HubError(
    'invalid',
    `type must be one of ${Object.keys(TYPES).join(', ')}; got ${JSON.stringify(type)}.`,
  );
}
