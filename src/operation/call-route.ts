// How a route is called by its text. Stands apart, so that the published types need nothing else.

/** An object without fields: enough where every field may be left out, and where there is none. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- exactly that is meant
type Nothing = Record<never, never>;

/** A call of one route: `call('POST /api/board/tasks/:taskId/claim', { taskId })`. */
export type CallRoute<Api extends Answers> = <P extends keyof Api & string>(
  route: P,
  ...given: Nothing extends Api[P]['given'] ? [given?: Api[P]['given']] : [given: Api[P]['given']]
) => Promise<Api[P]['answer']>;

export type Answers = Readonly<Record<string, Readonly<{ given: unknown; answer: unknown }>>>;
