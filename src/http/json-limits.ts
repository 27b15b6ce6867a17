import { HubError } from '../kernel/errors.ts';

/**
 * What JSON of somebody else may be, looked at before it is parsed: a megabyte of brackets takes the parser a tenth of a
 * second, and tens of thousands of members whoever looks at them afterwards. One pass over the bytes, which counts and
 * reads nothing: the one scanner of JSON as text is `features/attach/files/json-scan.ts`.
 */

/** What a route takes at most, and the same with the few levels that JSON-RPC puts around it. */
const [PLAIN_DEPTH, MOST_DEPTH] = [64, 80];
const MOST_MEMBERS = 50_000;
/** Commas: the items of lists too, which cost less than members. */
const MOST_ITEMS = 200_000;
/** What is shorter can do no harm, and most requests are. */
const HARMLESS_BYTES = 8 * 1024;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN, CLOSE, BRACE, END] = [0x5b, 0x5d, 0x7b, 0x7d];

export function refuseHeavyJson(bytes: Uint8Array): void {
  if (bytes.length < HARMLESS_BYTES) return;
  let [depth, members, items, isText] = [0, 0, 0, false];
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (isText) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COLON) members += 1;
    else if (byte === COMMA) items += 1;
    else if (byte === OPEN || byte === BRACE) {
      if ((depth += 1) > MOST_DEPTH)
        throw tooMuch('invalid', `must not be nested more than ${PLAIN_DEPTH} levels deep`);
    } else if (byte === CLOSE || byte === END) depth -= 1;
  }
  if (members > MOST_MEMBERS) throw tooMuch('too_large', `must not have more than ${MOST_MEMBERS} members`);
  if (items > MOST_ITEMS) throw tooMuch('too_large', `must not have more than ${MOST_ITEMS} items`);
}

function tooMuch(code: 'invalid' | 'too_large', what: string): HubError {
  return new HubError(code, `The request body ${what}.`, { rpcCode: -32_700 });
}
