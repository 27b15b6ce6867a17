import { describe, expect, it } from 'vitest';
import { EMPTY_STORY, extend, type Heard } from '../../web/src/runs/story.ts';

let count = 0;
const frame = (data: object): Heard => ({
  id: String((count += 1)),
  event: 'frame',
  data: JSON.stringify(data),
});
const tool = (value: object) => frame({ kind: 'acp', line: '{}', type: 'tool', tool: value });

describe('what a run said, as a document', () => {
  it('joins pieces of a session, lines of a program and paragraphs of the others each in their way', () => {
    const pieces = ['I will ', 'go.'].map((text) => frame({ kind: 'acp', line: '{}', type: 'text', text }));
    const lines = ['one', 'two'].map((line) => frame({ kind: 'stdout', line, type: 'text' }));
    const paragraphs = ['A.', 'B.'].map((text) => frame({ kind: 'stdout', line: '{}', type: 'text', text }));
    const texts = (heard: Heard[]) =>
      extend(EMPTY_STORY, heard).blocks.map((each) => 'text' in each && each.text);
    expect(texts(pieces)).toEqual(['I will go.']);
    expect(texts(lines)).toEqual(['one\ntwo']);
    expect(texts(paragraphs)).toEqual(['A.\n\nB.']);
  });

  it('tells of a call once, with its newest state, and leaves what did not change as it was', () => {
    const begun = extend(EMPTY_STORY, [
      frame({ kind: 'acp', line: '{}', type: 'text', text: 'Now.' }),
      tool({ id: 'a', name: 'Edit', phase: 'start', input: { path: 'x.ts', oldText: 'a', newText: 'a\nb' } }),
    ]);
    const ended = extend(begun, [tool({ id: 'a', name: '', phase: 'end', ok: false })]);
    expect(ended.blocks).toHaveLength(2);
    expect(ended.blocks[0]).toBe(begun.blocks[0]);
    expect(ended.blocks[1]).toMatchObject({ name: 'Edit', gist: 'x.ts +2 −1', state: 'failed' });
  });

  it('survives frames that are no JSON, and keeps the newest plan', () => {
    const plan = (status: string) => frame({ type: 'plan', plan: [{ content: 'Sail', status }, 7] });
    const broken = { id: '0', event: 'frame', data: '{' };
    const story = extend(EMPTY_STORY, [broken, plan('pending'), plan('completed')]);
    expect(story.blocks).toEqual([]);
    expect(story.plan).toEqual([
      { text: 'Sail', state: 'completed' },
      { text: '', state: 'pending' },
    ]);
  });
});
