import { expect, test } from 'vitest';
import { KEY } from '../../../test/fixtures/mcp-server.ts';
import type { Question } from '../ask.ts';
import { createSeal } from '../seal.ts';
import { InputRequired, callDigest, openRounds } from './rounds.ts';

let now = 1_000;
const parts = { seal: createSeal(KEY, 'request state'), clock: { now: () => now, elapsed: () => now } };
const question: Question = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
};
const YES = { action: 'accept', content: { ok: true } };
const digestOf = (args: object, caller: string) =>
  callDigest({ method: 'tools/call', target: 'confirm', args, caller });
const call = digestOf({ a: 1, b: 2 }, 'ada');

function ask(params: object, ...keys: string[]): { answers?: object; state?: string; asked?: string[] } {
  const rounds = openRounds(parts, call, params as Record<string, unknown>);
  try {
    const answers = {};
    for (const key of keys) Object.assign(answers, rounds.ask({ [key]: question }));
    return { answers };
  } catch (thrown) {
    if (!(thrown instanceof InputRequired)) throw thrown;
    const result = JSON.parse(`{${rounds.pause(thrown).members}}`) as {
      inputRequests: object;
      requestState: string;
    };
    return { state: result.requestState, asked: Object.keys(result.inputRequests) };
  }
}

test('a call goes on where its answers reach, round by round', () => {
  const first = ask({}, 'one', 'two');
  expect(first.asked).toEqual(['one']);
  const second = ask({ requestState: first.state, inputResponses: { one: YES } }, 'one', 'two');
  expect(second.asked).toEqual(['two']);
  const third = ask(
    { requestState: second.state, inputResponses: { two: { action: 'decline' } } },
    'one',
    'two',
  );
  expect(third.answers).toEqual({ one: YES, two: { action: 'decline' } });
});

test('answers nobody asked for are ignored, missing ones are asked again', () => {
  const { state } = ask({}, 'one');
  expect(ask({ requestState: state, inputResponses: { other: YES } }, 'one').asked).toEqual(['one']);
  expect(ask({ inputResponses: { one: YES, other: 5 } }, 'one').answers).toEqual({ one: YES });
});

test('a state that was changed, belongs to another call, or is too old is refused', () => {
  const { state } = ask({}, 'one');
  expect(() => ask({ requestState: `${state}x` }, 'one')).toThrow('not given out by this hub');
  expect(() => ask({ requestState: 5 }, 'one')).toThrow('not given out by this hub');
  const other = digestOf({ a: 1, b: 3 }, 'ada');
  expect(() => openRounds(parts, other, { requestState: state })).toThrow('belongs to another call');
  now += 61 * 60_000;
  expect(() => ask({ requestState: state }, 'one')).toThrow('has expired');
});

test('a session id is not a state, though the same key sealed it', () => {
  const session = createSeal(KEY, 'session').close({ until: now + 1_000, call, answers: {} });
  expect(() => ask({ requestState: session }, 'one')).toThrow('not given out by this hub');
});

test('an answer that is none is refused by name', () => {
  expect(() => ask({ inputResponses: null }, 'one')).toThrow('inputResponses must be an object');
  expect(() => ask({ inputResponses: { one: 12_345 } }, 'one')).toThrow(
    'inputResponses.one is not an answer to elicitation/create',
  );
  expect(() => ask({ inputResponses: { one: { action: 'maybe' } } }, 'one')).toThrow('inputResponses.one');
});

test('the order of keys does not make it another call, the caller does', () => {
  expect(digestOf({ b: 2, a: 1 }, 'ada')).toBe(call);
  expect(digestOf({ a: 1, b: 2 }, 'bob')).not.toBe(call);
});
