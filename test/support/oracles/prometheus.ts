/** Parser of the Prometheus text format 0.0.4, written from its grammar; throws for invalid text. */

export interface Line {
  name: string
  labels: Record<string, string>
  value: number
}

export interface Family {
  type: string
  help: string
  lines: Line[]
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*",?)*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"/g

/** Returns the families of a text, by name. */
export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  let current: [string, Family] | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, of = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (families.has(of)) throw new Error(`${of} is declared twice`)
      current = [of, { type: '', help: rest, lines: [] }]
      families.set(...current)
    } else if (keyword === 'TYPE') {
      if (current?.[0] !== of || current[1].type !== '') throw new Error(`a type in the wrong place: ${line}`)
      if (!/^(counter|gauge|histogram)$/.test(rest)) throw new Error(`an unknown type: ${line}`)
      current[1].type = rest
    } else take(line, current)
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family.lines)
  return families
}

function take(line: string, current: [string, Family] | undefined): void {
  const [, name = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? []
  const value = number === '+Inf' ? Infinity : Number(number)
  if (name === '' || Number.isNaN(value)) throw new Error(`not a sample: ${line}`)
  if (current === undefined) throw new Error(`a sample without a family: ${line}`)
  const [family, { type, lines }] = current
  const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => family + end) : [family]
  if (!names.includes(name)) throw new Error(`a sample under another name: ${line}`)
  lines.push({ name, labels: Object.fromEntries([...labelText.matchAll(LABEL)].map(([, key = '', text = '']) => [key, text])), value })
}

/** Checks that bucket bounds and counts ascend, and that the last bucket includes all. */
function checkHistogram(name: string, lines: readonly Line[]): void {
  let bound = -Infinity
  let count = 0
  for (const { name: each, labels, value } of lines) {
    if (each === `${name}_bucket`) {
      const le = labels['le'] === '+Inf' ? Infinity : Number(labels['le'])
      if (!(le > bound) || value < count) throw new Error(`buckets of ${name} out of order`)
      ;[bound, count] = [le, value]
    } else if (each === `${name}_count`) {
      if (bound !== Infinity || value !== count) throw new Error(`the count of ${name} is not that of its buckets`)
      ;[bound, count] = [-Infinity, 0]
    }
  }
}

/** Returns the value of a sample; 0 when there is none. */
export function valueOf(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const family = [name, name.replace(/_(bucket|sum|count)$/, '')].map((each) => families.get(each)).find((each) => each !== undefined)
  if (family === undefined) throw new Error(`no ${name}`)
  const wanted = JSON.stringify(Object.entries(labels).sort())
  return family.lines.find((line) => line.name === name && JSON.stringify(Object.entries(line.labels).sort()) === wanted)?.value ?? 0
}
