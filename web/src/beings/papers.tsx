import type { ReactNode } from 'react';
import { Section } from '../parts/drawer.tsx';
import { Empty } from '../parts/empty.tsx';
import { Cut, Foreign, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { useDocuments } from './queries.ts';

const TARGETS: Readonly<Record<string, string>> = {
  preferences: 'What its partner likes',
  knowledge: 'What it knows',
  relationship: 'People',
  partner_tools: 'Tools of its partner (sealed)',
  partner_map: 'Where things are',
  partner_rules: 'Rules',
  diary: 'Diary',
};

/** Everything it wrote down, by kind. */
export function Papers({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, error } = useDocuments(id);
  if (!data) return <Unready error={error} />;
  const kinds = Map.groupBy(data.documents, ({ target }) => target);
  if (data.documents.length === 0)
    return (
      <Empty title="It has written nothing down">
        Preferences, knowledge, people and a diary are kept with the tool <code>update_memory</code>.
      </Empty>
    );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-6" tabIndex={0} aria-label="Papers">
      {[...kinds].map(([target, documents]) => (
        <Section key={target} as="h2" title={TARGETS[target] ?? target.replaceAll('_', ' ')}>
          <ul>
            {documents.map(({ key, content, updatedAt }) => (
              <li key={key} className="border-line border-b">
                <details>
                  <summary className="row">
                    <span className="truncate font-medium">
                      <Foreign text={key} />
                    </span>
                    <Moment at={updatedAt} className="ml-auto" />
                  </summary>
                  <div className="pb-2">
                    {content === null ? (
                      <p className="text-soft">Sealed: only the Being and its partner read it.</p>
                    ) : (
                      <Quoted>
                        <Cut text={content}>{(shown) => <Markdown text={shown} />}</Cut>
                      </Quoted>
                    )}
                  </div>
                </details>
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </div>
  );
}
