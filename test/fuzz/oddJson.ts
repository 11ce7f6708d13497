/** Odd JSON of every known kind, and mutations of values into it, by a seed. */

/** Piece of JSON text that JSON.stringify never produces. */
export class Raw {
  constructor(readonly text: string) {}
}

/** Returns a random whole number below a limit. */
export type Next = (limit: number) => number

export const pick = <T>(next: Next, from: readonly T[]): T => {
  const one = from[next(from.length)]
  if (one === undefined) throw new Error('nothing to pick from')
  return one
}

const nested = (depth: number, open: string, close: string): Raw =>
  new Raw(`${open.repeat(depth)}1${close.repeat(depth)}`)

const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u202eabc',
  '\ufeffa',
  '💥',
  'Ünï cödé',
  'é',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../x',
  'a/b',
  '/',
  '%2e%2e',
  '*',
  '#',
  '.*',
  ':',
  '::',
  ':system:email',
  ':_system:language',
  ':_system:account',
  ':other:x',
  'null',
  'undefined',
  'NaN',
  '1',
  '-0',
  '1e999',
  '2020-01-01T00:00:00Z',
  '{"a":1}',
  '["a"]',
  "' OR 1=1 --",
  '<script>',
  '\r\nX: y',
  'a'.repeat(300),
  'a'.repeat(100_000),
]

/** Unpaired surrogates: not encodable in UTF-8, but by escapes. */
const HALF_PAIRS = [new Raw('"\\ud800"'), new Raw('"x\\udc00y"'), new Raw('"\\udc00\\ud800"')]

const ODD_NUMBERS = [0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53) - 2, 1e21, 1e308, -1e308, 5e-324, 1e-300, 0.1 + 0.2]

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  ['a', 1, null, {}],
  { a: { b: { c: [] } } },
  { length: 1e9 },
  { toString: 1, valueOf: null },
  { toJSON: 'x' },
  { then: 'x' },
  new Raw('{"__proto__":{"polluted":true}}'),
  new Raw('{"constructor":{"prototype":{"polluted":true}}}'),
  new Raw('{"a":1,"a":2}'),
  new Raw('1e400'),
  new Raw('-1e400'),
  new Raw('-0'),
  new Raw('1E+2'),
  new Raw('123456789012345678901234567890.123456789'),
  new Raw(`1${'0'.repeat(400)}`),
  nested(40, '[', ']'),
  nested(40, '{"a":', '}'),
  nested(70, '[', ']'),
  nested(63, '[{"a":', '}]'),
  Array.from({ length: 3000 }, (_, i) => i),
  Array.from({ length: 500 }, () => 'same'),
]

/** Text that is not JSON. */
export const BROKEN_JSON = [
  ...['NaN', 'undefined', 'tru', "{'a':1}", '{"a":1,}', '[1,2', '{"a"', '}', '{} {}', '// x\n1'],
  ...['"\u0001"', '"\\x"', '"\\ud8"', '01', '+1', '.5', '1.', '--1', '\ufeff{}'],
]

const ODD_KEYS: readonly (string | Raw)[] = [
  ...['__proto__', 'constructor', 'toString', '', ' ', '\0', 'a/b', '0', '-1', 'é', 'k'.repeat(20_000)],
  new Raw('"\\ud800"'),
]

/** Returns an odd value of any kind. */
export function oddValue(next: Next): unknown {
  // Frequent kinds are listed twice.
  const lists = [ODD_TEXTS, ODD_TEXTS, ODD_NUMBERS, ODD_VALUES, ODD_VALUES, HALF_PAIRS]
  const list: readonly unknown[] = pick<readonly unknown[]>(next, lists)
  return list[next(list.length)]
}

/** Returns an odd key of any kind. */
export const oddKey = (next: Next): string | Raw => pick(next, ODD_KEYS)

/** Returns an odd text of any kind, without unpaired surrogates. */
export const oddText = (next: Next): string => pick(next, ODD_TEXTS)

/** Object by its members: a key may occur several times. */
export interface Members {
  members: [key: string | Raw, value: unknown][]
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && 'members' in value

/** Changes a value at one random place; objects may get a key twice. */
export function mutate(value: unknown, next: Next): unknown {
  if (value instanceof Raw || typeof value !== 'object' || value === null || next(8) === 0) {
    return next(6) === 0 ? [value] : oddValue(next)
  }
  if (Array.isArray(value)) return mutateArray(value, next)
  const entries = isMembers(value) ? value.members : Object.entries(value)
  const members = entries.map(([key, member]): [string | Raw, unknown] => [key, member])
  const at = next(members.length + 1)
  const entry = members[at]
  if (entry === undefined) {
    members.push([pick(next, ODD_KEYS), oddValue(next)])
    return { members }
  }
  const way = next(10)
  if (way === 0) members.splice(at, 1)
  else if (way === 1) members.push([entry[0], oddValue(next)])
  else if (way === 2) members.push([pick(next, ODD_KEYS), oddValue(next)])
  else members[at] = [entry[0], mutate(entry[1], next)]
  return { members }
}

function mutateArray(value: readonly unknown[], next: Next): unknown[] {
  const items = [...value]
  const at = next(items.length + 1)
  const way = next(5)
  if (way === 0 || at === items.length) items.push(oddValue(next))
  else if (way === 1) items.splice(at, 1)
  else if (way === 2) items.push(...items)
  else items[at] = mutate(items[at], next)
  return items
}

/** Returns the JSON text of a value with raw pieces. */
export function textOf(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = isMembers(value) ? value.members : Object.entries(value)
  return `{${entries.map(([key, member]) => `${textOf(key)}:${textOf(member)}`).join(',')}}`
}
