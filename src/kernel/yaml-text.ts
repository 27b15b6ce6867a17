// YAML as everybody here reads it. A broken file has thousands of mistakes as easily as one, and the parser's own way of
// telling them quotes the text around each: its time grows with their square. Here the first one is told, with its place.
import { type Document, LineCounter, parseDocument } from 'yaml';

export type ParsedYaml = Readonly<{
  document: Document.Parsed;
  /** The first mistake, with its line and column. */
  problem: string | undefined;
}>;

export function parseYaml(text: string, options: Readonly<{ schema?: 'failsafe' }> = {}): ParsedYaml {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { ...options, logLevel: 'error', lineCounter, prettyErrors: false });
  const [mistake] = document.errors;
  if (!mistake) return { document, problem: undefined };
  const { line, col } = lineCounter.linePos(mistake.pos[0]);
  return { document, problem: `${mistake.message} at line ${line}, column ${col}` };
}

/** What it says, as plain values. Throws the first mistake as its message. */
export function readYaml(text: string): unknown {
  const { document, problem } = parseYaml(text);
  if (problem !== undefined) throw new Error(problem);
  return document.toJS();
}
