import { StringDecoder } from 'node:string_decoder';
import { elapsed } from '../clock.ts';
import { createSeamMask } from '../redact-stream.ts';
import { redact } from '../redact.ts';

const DEFAULT_KEEP = 96 * 1024;
/** As far as a secret may reach beyond the place where its text is cut. */
const OVERLAP = 20 * 1024;

/** What a stream said: its beginning and its end, however much came between, masked before it was cut. */
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
    const most = this.#keep + OVERLAP;
    this.#length += text.length;
    const room = most - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    if (text.length > room) this.#tail = (this.#tail + text.slice(Math.max(0, room))).slice(-most);
  }

  get isCut(): boolean {
    return this.#length > 2 * this.#keep;
  }

  text(): string {
    if (this.#length <= this.#head.length + this.#tail.length) return this.#cut(this.#head + this.#tail);
    const [head, tail] = [redact(this.#head).slice(0, this.#keep), redact(this.#tail).slice(-this.#keep)];
    return this.#joined(head, tail);
  }

  #cut(whole: string): string {
    if (!this.isCut) return whole;
    const masked = redact(whole);
    return this.#joined(masked.slice(0, this.#keep), masked.slice(-this.#keep));
  }

  #joined(head: string, tail: string): string {
    return `${head}\n[… ${Math.max(0, this.#length - head.length - tail.length)} characters left out …]\n${tail}`;
  }
}

/** What nothing follows for so long is taken for whole. */
const LONGEST_HELD_MS = 500;

/**
 * The newest output of a stream, read piece by piece: a cursor is how much has been seen. A reader chooses where the
 * pieces begin, so it is masked before it is kept.
 */
export class FollowedOutput {
  readonly #keep: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #mask = createSeamMask<undefined>('pieces', (text) => this.#store(text));
  #kept = '';
  #length = 0;
  #heardAt = 0;

  constructor(keep = 1024 * 1024) {
    this.#keep = keep;
  }

  add(chunk: Buffer): void {
    this.#heardAt = elapsed();
    this.#mask.add(this.#decoder.write(chunk), undefined);
  }

  /** Nothing follows. */
  finish(): void {
    this.#mask.flush();
  }

  #store(text: string): void {
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
    if (elapsed() - this.#heardAt > LONGEST_HELD_MS) this.#mask.flush();
    const first = this.#length - this.#kept.length;
    const from = Math.min(Math.max(cursor, first), this.#length);
    const text = this.#kept.slice(from - first, from - first + limit);
    return { text, next: from + text.length, lost: from - Math.min(cursor, from) };
  }
}
