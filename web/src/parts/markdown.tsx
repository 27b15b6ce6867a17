import { marked, type Token, type Tokens } from 'marked';
import { Fragment, useMemo, type ReactNode } from 'react';
import { NamingTasks } from '../board/task-word.tsx';
import { Cut, Foreign } from './foreign.tsx';

/** Markdown as elements. Nothing becomes HTML: tokens are rendered one by one, and HTML among them is text. */
export function Markdown({ text }: Readonly<{ text: string }>): ReactNode {
  return <Cut text={text}>{(shown) => <Rendered text={shown} />}</Cut>;
}

function Rendered({ text }: Readonly<{ text: string }>): ReactNode {
  const tokens = useMemo(() => read(text), [text]);
  return (
    <div className="prose" dir="auto">
      {blocks(tokens)}
    </div>
  );
}

/** A text that cannot be read as Markdown is shown as it is. */
function read(text: string): Token[] {
  try {
    return marked.lexer(text, { gfm: true, breaks: true });
  } catch {
    return [{ type: 'code', raw: text, text }];
  }
}

function blocks(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, at) => <Fragment key={at}>{block(token)}</Fragment>);
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      // The view has the first heading; what is quoted begins below it.
      return depth < 3 ? <h3>{inlines(tokens)}</h3> : <h4>{inlines(tokens)}</h4>;
    }
    case 'paragraph':
      return <p>{inlines((token as Tokens.Paragraph).tokens)}</p>;
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>
            <Foreign text={(token as Tokens.Code).text} />
          </code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case 'list':
      return list(token as Tokens.List);
    case 'hr':
      return <hr />;
    case 'table':
      return table(token as Tokens.Table);
    case 'text':
      return <p>{inline(token)}</p>;
    default:
      return (
        <p>
          <Foreign text={token.raw} />
        </p>
      );
  }
}

function list({ ordered, items, start }: Tokens.List): ReactNode {
  const shown = items.map((item, at) => (
    <li key={at}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          disabled
          aria-label={item.checked ? 'done' : 'open'}
        />
      )}
      {item.tokens.map((token, i) => (
        <Fragment key={i}>
          {token.type === 'text' ? inline(token) : token.type === 'checkbox' ? null : block(token)}
        </Fragment>
      ))}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{shown}</ol> : <ul>{shown}</ul>;
}

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    <table tabIndex={0}>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at}>{inlines(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, i) => (
              <td key={i}>{inlines(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inlines(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, at) => <Fragment key={at}>{inline(token)}</Fragment>);
}

function inline(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inlines((token as Tokens.Strong).tokens)}</strong>;
    case 'em':
      return <em>{inlines((token as Tokens.Em).tokens)}</em>;
    case 'del':
      return <del>{inlines((token as Tokens.Del).tokens)}</del>;
    case 'codespan':
      return (
        <code>
          <Foreign text={(token as Tokens.Codespan).text} />
        </code>
      );
    case 'br':
      return <br />;
    case 'link':
      return <Away href={(token as Tokens.Link).href}>{inlines((token as Tokens.Link).tokens)}</Away>;
    case 'image': {
      // No picture of somebody else's is loaded: that alone would tell them that it was looked at.
      const { href, text } = token as Tokens.Image;
      return <Away href={href}>{text || href}</Away>;
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inlines(tokens) : <NamingTasks text={text} />;
    }
    case 'escape':
      return <Foreign text={(token as Tokens.Escape).text} />;
    default:
      return <Foreign text={token.raw} />;
  }
}

/** Only addresses of the web are links; all others are text. */
function Away({ href, children }: Readonly<{ href: string; children: ReactNode }>): ReactNode {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) {
    return (
      <>
        {children} (<Foreign text={href} />)
      </>
    );
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc" title={href}>
      {children}
    </a>
  );
}
