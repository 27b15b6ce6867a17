/** A map that keeps only so many entries: what was set longest ago goes first. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.#most) this.delete(this.keys().next().value!);
    return super.set(key, value);
  }
}
