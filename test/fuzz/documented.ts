// What a hub answers beside what its OpenAPI says it may: status, content type and body.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Content = Readonly<Record<string, Readonly<{ schema: Readonly<{ $ref?: string }> }>>>;
type Response = Readonly<{ $ref?: string; content?: Content }>;
type Operation = Readonly<{ responses: Readonly<Record<string, Response>> }>;
type Api = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: Readonly<{ responses: Readonly<Record<string, Response>> }>;
}>;

export type Seen = Readonly<{ status: number; type: string; text: string }>;

/** `name` is `GET /api/board/tasks/{taskId}`. Undefined: it is documented, or no route of the document's. */
export type Documented = (name: string, seen: Seen) => string | undefined;

export async function documentedBy(address: string): Promise<Documented> {
  return documentedIn(await (await fetch(`${address}/api/openapi.json`)).json());
}

export function documentedIn(document: unknown): Documented {
  const api = document as Api;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document as object, 'api');
  const checks = new Map<string, ValidateFunction>();

  function fits(place: readonly string[], value: unknown): string | undefined {
    const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
    const $ref = `api#/${pointer.map(encodeURIComponent).join('/')}`;
    const check = checks.get($ref) ?? ajv.compile({ $ref });
    checks.set($ref, check);
    return check(value) ? undefined : ajv.errorsText(check.errors);
  }

  return (name, { status, type, text }) => {
    const [method = '', path = ''] = name.split(' ');
    const operation = api.paths[path]?.[method.toLowerCase()];
    if (!operation) return undefined;
    const place = ['paths', path, method.toLowerCase(), 'responses', String(status)];
    const response = operation.responses[status];
    if (!response) return `the status ${status} is not documented`;
    const [at, { content = {} }] = followed(place, response);
    const found = [type, type.split(';')[0]!.trim()].find((each) => each in content);
    if (found === undefined)
      return type === '' && Object.keys(content).length === 0
        ? undefined
        : `the content type ${type || 'none'} is not documented`;
    if (found !== 'application/json') return undefined;
    const { $ref } = content[found]!.schema;
    const where = $ref === undefined ? [...at, 'content', found, 'schema'] : $ref.split('/').slice(1);
    const why = fits(where, JSON.parse(text));
    return why === undefined ? undefined : `the body is not what is documented: ${why}`;
  };

  function followed(place: readonly string[], response: Response): readonly [readonly string[], Response] {
    const shared = response.$ref?.split('/').at(-1);
    return shared === undefined
      ? [place, response]
      : [['components', 'responses', shared], api.components.responses[shared]!];
  }
}
