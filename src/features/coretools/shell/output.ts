import { StringDecoder } from 'node:string_decoder';

const DEFAULT_KEEP = 96 * 1024;

/** What a stream said: its beginning and its end, however much came between. */
export class CappedOutput {
  readonly #keep: number;
  readonly #decoder = new StringDecoder('utf8');
  #head = '';
  #tail = '';
  #length = 0;

  constructor(keep = DEFAULT_KEEP) {
    this.#keep = keep;
  }

  add(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    this.#length += text.length;
    const room = this.#keep - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    if (text.length > room) this.#tail = (this.#tail + text.slice(Math.max(0, room))).slice(-this.#keep);
  }

  get isCut(): boolean {
    return this.#length > this.#head.length + this.#tail.length;
  }

  text(): string {
    const left = this.#length - this.#head.length - this.#tail.length;
    return left > 0
      ? `${this.#head}\n[… ${left} characters left out …]\n${this.#tail}`
      : this.#head + this.#tail;
  }
}

/** The newest output of a stream, read piece by piece: a cursor is how much has been seen. */
export class FollowedOutput {
  readonly #keep: number;
  readonly #decoder = new StringDecoder('utf8');
  #kept = '';
  #length = 0;

  constructor(keep = 1024 * 1024) {
    this.#keep = keep;
  }

  add(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    this.#length += text.length;
    this.#kept = (this.#kept + text).slice(-this.#keep);
  }

  /** The end of what it said. */
  end(limit: number): { text: string; isCut: boolean } {
    const text = this.#kept.slice(-limit);
    return { text, isCut: text.length < this.#length };
  }

  /** `lost` counts what was pushed out before it could be read. */
  after(cursor: number, limit: number): { text: string; next: number; lost: number } {
    const first = this.#length - this.#kept.length;
    const from = Math.min(Math.max(cursor, first), this.#length);
    const text = this.#kept.slice(from - first, from - first + limit);
    return { text, next: from + text.length, lost: from - Math.min(cursor, from) };
  }
}
