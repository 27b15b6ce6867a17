/**
 * The little of git's configuration format that it takes to find where a repository came from. Includes are
 * not followed.
 */
export function originOf(config: string): string | undefined {
  const remotes = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.replace(/\\\r?\n/g, '').split('\n')) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header)
      remote = header[1]!.toLowerCase() === 'remote' ? header[2]?.replace(/\\(.)/g, '$1') : undefined;
    const setting = /^\s*url\s*=(.*)$/i.exec(header ? header[3]! : line);
    if (setting && remote !== undefined && !remotes.has(remote)) remotes.set(remote, readValue(setting[1]!));
  }
  // Without an origin, the first by name: the order in the file says nothing.
  return remotes.get('origin') ?? remotes.get([...remotes.keys()].sort()[0] ?? '');
}

/** Quotes fall away, and so does what follows a comment sign outside of them. */
function readValue(text: string): string {
  let value = '';
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i]!;
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === '\\') value += text[(i += 1)] ?? '';
    else if (!isQuoted && (sign === '#' || sign === ';')) break;
    else value += sign;
  }
  return value.trim();
}
