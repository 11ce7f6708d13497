const WIDTH = 76

/** Formats JSON as lines; values that fit on one line stay on it. */
export function compactJson(value: unknown, indent = ''): string[] {
  const flat = flatJson(value)
  if (flat.length + indent.length <= WIDTH || typeof value !== 'object' || value === null) return [flat]
  const isList = Array.isArray(value)
  const entries: [string, unknown][] = isList ? value.map((item: unknown) => ['', item]) : Object.entries(value).filter(([, item]) => item !== undefined)
  const inner = `${indent}  `
  const lines = entries.flatMap(([name, item], at) => {
    const [first = '', ...rest] = compactJson(item, inner)
    const own = [`${inner}${isList ? '' : `${JSON.stringify(name)}: `}${first}`, ...rest]
    return at === entries.length - 1 ? own : [...own.slice(0, -1), `${own.at(-1) ?? ''},`]
  })
  return [isList ? '[' : '{', ...lines, `${indent}${isList ? ']' : '}'}`]
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  return members.length === 0 ? '{}' : `{ ${members.map(([name, item]) => `${JSON.stringify(name)}: ${flatJson(item)}`).join(', ')} }`
}
