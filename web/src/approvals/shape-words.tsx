import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';

type Shows = Readonly<Record<string, string>>;

/** What a choice for "always" covers, in words. A field that has no words here is shown by its name. */
export function ShapeWords({ shows }: Readonly<{ shows: Shows }>): ReactNode {
  const parts = Object.entries(shows).filter(([name]) => name !== 'sandbox');
  if (parts.length === 0 || shows['exactly'] !== undefined) return 'exactly these arguments';
  return parts.map(([name, value], at) => (
    <span key={name}>
      {at > 0 && ', '}
      {(WORDS[name] ?? other(name))(value)}
    </span>
  ));
}

const WORDS: Readonly<Record<string, (value: string) => ReactNode>> = {
  file: (file) => <>the file {code(file)}, whatever comes into it</>,
  path: (path) =>
    path === './*' ? (
      'any file right in the project’s folder'
    ) : (
      <>any file right in {code(path.slice(0, -2))}</>
    ),
  below: (folder) =>
    folder === '.' ? (
      'any file of the project, but for hidden ones'
    ) : (
      <>any file below {code(folder)}, but for hidden ones</>
    ),
  command: (command) =>
    command.endsWith(' *') ? <>{code(command.slice(0, -2))} and any plain words after it</> : code(command),
  cwd: (folder) => (folder === '.' ? 'in the project’s folder' : <>in {code(folder)}</>),
  url: (url) => <>any page of {code(url.replace(/\/\*$/, ''))}</>,
  page: (page) => <>the page {code(page)}</>,
  begins: (begin) => <>any page whose address begins with {code(begin)}</>,
};

function other(name: string): (value: string) => ReactNode {
  return (value) =>
    /^any(thing| )/.test(value) ? (
      `${name}: ${value}`
    ) : (
      <>
        <Foreign text={name} /> {code(value)}
      </>
    );
}

function code(text: string): ReactNode {
  return (
    <code className="bg-sunken rounded px-1 font-mono text-[12px] break-all">
      <Foreign text={text} />
    </code>
  );
}
