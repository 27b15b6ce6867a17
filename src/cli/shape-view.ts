/** A shape in one line, as every command shows it: `exactly=cat README.md cwd=.`. */
export function shapeLine(shape: Readonly<Record<string, string>> | string): string {
  const values = typeof shape === 'string' ? parse(shape) : shape;
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function parse(text: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, string>>;
  } catch {
    return { shape: text };
  }
}
