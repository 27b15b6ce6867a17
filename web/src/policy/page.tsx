import type { ReactNode } from 'react';
import { useHub } from '../frame/hub.ts';
import { Section } from '../parts/drawer.tsx';
import { Command } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { View, ViewUnready } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { PolicyEditor } from './editor.tsx';
import { Explain } from './explain.tsx';
import { SIGNS, usePolicy } from './queries.ts';

/** What is in force, what it would do to a call, and the file itself. */
export function PolicyPage(): ReactNode {
  const { data, error } = usePolicy();
  const { data: hub } = useHub();
  if (error || !data || !hub) return <ViewUnready error={error} />;
  return (
    <View
      title="Policy"
      about="The first rule that matches decides. Without one, safe tools run and others ask you."
      isWide
    >
      <div className="grid max-w-[1560px] grid-cols-[minmax(0,1fr)] gap-x-10 px-4 pt-4 pb-8 @min-[960px]/list:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div>
          <Section
            as="h2"
            title="In force"
            aside={
              data.loadedAt !== null && (
                <span className="text-meta text-faint">
                  read <Moment at={data.loadedAt} />
                </span>
              )
            }
          >
            {data.problems.map(({ line, column, message }) => (
              <p
                key={`${line}:${column}`}
                role="alert"
                className="bg-amber-wash mb-2 rounded-one px-3 py-1.5"
              >
                Line {line}, column {column}: <Foreign text={message} />. The last good policy is in force.
              </p>
            ))}
            {data.rules.length === 0 && (
              <p className="text-soft">There is no rule. The file is read again whenever it changes:</p>
            )}
            <ol className="border-line border-t">
              {data.rules.map(({ name, decide }, at) => (
                <li key={at} className="row border-line border-b">
                  <span className="text-meta text-faint w-6 text-right">{at + 1}</span>
                  <span className={`w-12 font-medium ${SIGNS[decide] ?? ''}`}>{decide}</span>
                  <span className="truncate">
                    <Foreign text={name} />
                  </span>
                </li>
              ))}
            </ol>
            <div className="mt-2">
              <Command text={data.path} label="Copy the path" />
            </div>
          </Section>
          <Explain />
        </div>
        <div className="mt-5 @min-[960px]/list:mt-0">
          <PolicyEditor isSignedIn={hub.isSignedIn} />
        </div>
      </div>
    </View>
  );
}
