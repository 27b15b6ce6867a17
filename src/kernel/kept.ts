/** A map whose values weigh at most so much together: with what would be too much it begins anew. */
export class WeighedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;

  constructor(most: number, weigh: (value: V) => number) {
    super();
    this.#most = most;
    this.#weigh = weigh;
  }

  override set(key: K, value: V): this {
    this.#weight += this.#weigh(value);
    if (this.#weight > this.#most) {
      this.clear();
      this.#weight = this.#weigh(value);
    }
    return super.set(key, value);
  }
}

type ReadMissing<K, V> = (missing: readonly K[]) => Promise<Iterable<readonly [K, V]>>;

/** The values of these keys, as far as there are some: first those that were kept, then the others, which are read together. */
export async function keptOrRead<K, V>(
  kept: Map<K, V>,
  keys: readonly K[],
  read: ReadMissing<K, V>,
): Promise<V[]> {
  const found: V[] = [];
  const missing: K[] = [];
  for (const key of keys) {
    const value = kept.get(key);
    if (value === undefined) missing.push(key);
    else found.push(value);
  }
  if (missing.length === 0) return found;
  for (const [key, value] of await read(missing)) {
    kept.set(key, value);
    found.push(value);
  }
  return found;
}
