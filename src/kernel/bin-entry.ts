import { fileURLToPath } from 'node:url';

/** The file of a process that the hub starts itself: beside this one in the sources, beside the other commands in a build. */
export function binEntry(name: string): string {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return fileURLToPath(new URL(`../bin/${name}.ts`, here));
  const folder = /\/(?:chunks|bin)\/[^/]+$/.test(here) ? '../bin' : './bin';
  return fileURLToPath(new URL(`${folder}/${name}.js`, here));
}
