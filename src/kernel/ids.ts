import { randomBytes, randomFillSync } from 'node:crypto';

/** Random bytes are dear one by one and cheap by the page. */
const page = Buffer.alloc(4096);
let used = page.length;

let lastMs = 0;
let sequence = 0;

/**
 * UUIDv7, strictly increasing within one process: ids made later sort later, so they are a
 * stable key to page by and cheap to insert into an index.
 */
export function newId(): string {
  const bytes = Buffer.from(takeRandom(16));
  const ms = Date.now();
  if (ms > lastMs) {
    lastMs = ms;
    sequence = bytes.readUInt16BE(6) & 0x07ff;
  } else if (++sequence > 0x0fff) {
    lastMs += 1;
    sequence = 0;
  }
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function takeRandom(count: number): Buffer {
  if (used + count > page.length) {
    randomFillSync(page);
    used = 0;
  }
  used += count;
  return page.subarray(used - count, used);
}

/** An unguessable secret as hex. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString('hex');
}
