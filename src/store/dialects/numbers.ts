/** Numbers as both engines join them: `1,2,3`. */
export function readNumbers(joined: string | null): number[] {
  return joined ? (JSON.parse(`[${joined}]`) as number[]) : [];
}

export const ascending = (a: number, b: number): number => a - b;
