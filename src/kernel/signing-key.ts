/** The key that signs sessions and attach URLs. One that can be exchanged while the hub runs is asked for at each use. */
export type KeySource = Uint8Array | (() => Uint8Array);

export function keyOf(source: KeySource): Uint8Array {
  return typeof source === 'function' ? source() : source;
}
