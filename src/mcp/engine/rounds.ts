import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { Clock } from '../../kernel/clock.ts';
import { sha256 } from '../../kernel/digest.ts';
import { isObject } from '../../kernel/loose-json.ts';
import type { Question, Reply } from '../ask.ts';
import { invalidParams, type Params } from '../protocol/jsonrpc.ts';
import type { Answer } from '../result.ts';
import type { Seal } from '../seal.ts';

/** Thrown by `ask` in the 2026-07-28 era: the call ends here and starts again when the client has the answers. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  readonly questions: Readonly<Record<string, Question>>;

  constructor(questions: Readonly<Record<string, Question>>) {
    super('the client has to answer first');
    this.questions = questions;
  }
}

/** The answers of one call over its rounds. What earlier rounds got comes back in the sealed state, bound to this very call. */
export interface Rounds {
  ask(questions: Readonly<Record<string, Question>>): Readonly<Record<string, Reply>>;
  pause(required: InputRequired): Answer;
}

type State = Readonly<{ until: number; call: string; answers: Readonly<Record<string, Reply>> }>;

const STATE_LIFE_MS = 60 * 60_000;

type RoundParts = Readonly<{ seal: Seal; clock: Clock }>;

export function openRounds(parts: RoundParts, call: string, params: Params): Rounds {
  const { seal, clock } = parts;
  const earlier = readState(parts, call, params['requestState']);
  const now = readResponses(params['inputResponses']);
  const used = new Map(Object.entries(earlier));
  return {
    ask(questions) {
      const missing: Record<string, Question> = {};
      const answers: Record<string, Reply> = {};
      for (const [key, question] of Object.entries(questions)) {
        const answer =
          used.get(key) ?? checked(key, question, Object.hasOwn(now, key) ? now[key] : undefined);
        if (answer === undefined) missing[key] = question;
        else used.set(key, (answers[key] = answer));
      }
      if (Object.keys(missing).length > 0) throw new InputRequired(missing);
      return answers;
    },
    pause({ questions }) {
      const state: State = { until: clock.now() + STATE_LIFE_MS, call, answers: Object.fromEntries(used) };
      return {
        type: 'input_required',
        members: `"inputRequests":${JSON.stringify(questions)},"requestState":${JSON.stringify(seal.close(state))}`,
      };
    },
  };
}

/** Names one call by what it asks for and by whom, so that the state of one cannot be spent on another. */
export function callDigest(
  call: Readonly<Record<'method' | 'target' | 'caller', string> & { args: unknown }>,
): string {
  const { method, target, args, caller } = call;
  return sha256(canonicalJson([method, target, args, caller]), 'base64url');
}

function readState({ seal, clock }: RoundParts, call: string, given: unknown): State['answers'] {
  if (given === undefined) return {};
  const state = (typeof given === 'string' ? seal.open(given) : undefined) as State | undefined;
  if (!state)
    throw invalidParams('requestState was not given out by this hub or has been changed', { status: 400 });
  if (state.call !== call) throw invalidParams('requestState belongs to another call', { status: 400 });
  if (state.until < clock.now())
    throw invalidParams('requestState has expired; start the call again', { status: 400 });
  return state.answers;
}

function readResponses(given: unknown): Params {
  if (given === undefined) return {};
  if (!isObject(given)) throw invalidParams('inputResponses must be an object', { status: 400 });
  return given;
}

function checked(key: string, question: Question, answer: unknown): Reply | undefined {
  if (answer === undefined) return undefined;
  if (!isObject(answer) || !fits(question, answer))
    throw invalidParams(`inputResponses.${key} is not an answer to ${question.method}`, { status: 400 });
  return answer;
}

/** The least an answer must have so that handlers need not look twice. */
export function fits({ method }: Question, answer: Params): boolean {
  if (method === 'roots/list') return Array.isArray(answer['roots']);
  if (method === 'sampling/createMessage')
    return typeof answer['role'] === 'string' && answer['content'] !== undefined;
  return answer['action'] === 'accept' || answer['action'] === 'decline' || answer['action'] === 'cancel';
}
