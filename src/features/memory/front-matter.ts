export type Front = Readonly<{ title: string | undefined; tags: readonly string[] }>;

/** Only the two fields notes commonly carry; the rest of a front matter is not a fact. `skipped` is how many lines it takes. */
export function splitFront(text: string): Readonly<{ front: Front; body: string; skipped: number }> {
  const match = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/.exec(text);
  if (!match) return { front: { title: undefined, tags: [] }, body: text, skipped: 0 };
  const fields = match[1] ?? '';
  const front = {
    title: unquote(/^title:[ \t]*(.+)$/m.exec(fields)?.[1] ?? '') || undefined,
    tags: readTags(fields),
  };
  return { front, body: text.slice(match[0].length), skipped: match[0].split('\n').length - 1 };
}

/** `tags: a, b`, `tags: [a, b]`, or a list below with a dash each. */
function readTags(fields: string): string[] {
  const [, inline = '', below = ''] = /^tags:[ \t]*(.*)((?:\n[ \t]*-[ \t]+.*)*)/m.exec(fields) ?? [];
  const listed = inline
    .trim()
    .replace(/^\[|\]$/g, '')
    .split(',');
  const dashed = below.split('\n').map((line) => line.replace(/^[ \t]*-[ \t]+/, ''));
  return [...listed, ...dashed].map(unquote).filter((tag) => tag !== '');
}

function unquote(text: string): string {
  return text.trim().replace(/^["']|["']$/g, '');
}
