import type { Migration } from './migration.ts';

/** What is said about lines of a change, and what was decided about the whole of it. */
export const reviews: Migration = {
  id: 53,
  name: 'reviews',
  schema: `
create table review_threads (
  id exact primary key,
  subject exact not null,
  path text not null,
  side exact not null,
  from_line int not null,
  to_line int not null,
  quoted text not null,
  head exact not null,
  resolved_by exact,
  resolved_at int,
  created_at int not null
);
create index review_threads_of on review_threads (subject, id);

create table review_comments (
  id exact primary key,
  thread_id exact not null references review_threads (id) on delete cascade,
  author exact not null,
  by_person int not null,
  body text not null,
  suggestion text,
  created_at int not null
);
create index review_comments_of on review_comments (thread_id, id);

create table review_verdicts (
  id exact primary key,
  subject exact not null,
  verdict exact not null,
  author exact not null,
  body text not null,
  head exact not null,
  became text not null,
  created_at int not null
);
create index review_verdicts_of on review_verdicts (subject, id);
`,
};
