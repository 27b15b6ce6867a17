/** A line of a file, as it stands in the address: `/home/me/boat/src/app.ts:12`. */
export type LinePlace = Readonly<{ file: string; line: number }>;

export const placeOf = ({ file, line }: LinePlace): string => `${file}:${line}`;

export function readPlace(text: string): LinePlace | undefined {
  const [, file, line] = /^(\/.+):([1-9]\d{0,6})$/.exec(text.trim()) ?? [];
  return file === undefined ? undefined : { file, line: Number(line) };
}
