// `POST /api/board/tasks/:taskId/claim?now`, `PUT /api/sources/:name {entry}`: what a route says of where its fields stand.
// Read by the server's face and by the client alike, so that both put a field in the same place.
import type { Method } from '../http/route.ts';

export type RouteText = Readonly<{
  method: Method;
  /** With `:name` for each parameter. */
  path: string;
  inPath: readonly string[];
  /** Fields that stand in the query although the method has a body. */
  inQuery: readonly string[];
  /** The field that is the whole body; undefined where the body is an object of fields. */
  whole: string | undefined;
}>;

export function readRoute(text: string): RouteText {
  const [, method, path, query = '', whole] = /^([A-Z]+) ([^? ]+)(?:\?(\S*))?(?: \{(\w+)\})?$/.exec(text)!;
  return {
    method: method as Method,
    path: path!,
    inPath: Array.from(path!.matchAll(/:(\w+)/g), ([, name]) => name!),
    inQuery: query === '' ? [] : query.split('&'),
    whole,
  };
}
