/** Help text as data, so that the terminal and the man pages show the same text. */
import type { Paint } from '../terminal/terminal.js'
import { columnsOf, wrap } from '../terminal/output/text.js'

export type Block =
  /** Heading; `sub` marks a subheading. */
  | { heading: string; sub?: true }
  | { text: string }
  /** Literal lines that a person types or reads. */
  | { code: readonly string[] }
  /** Terms with their descriptions. */
  | { terms: ReadonlyArray<readonly [term: string, meaning: string]> }

/** Returns a heading with terms below it; nothing without terms. */
export const section = (heading: string, terms: ReadonlyArray<readonly [string, string]>): Block[] =>
  terms.length === 0 ? [] : [{ heading }, { terms }]

const indent = '  '
/** Maximum width of the term column; longer terms stand on a line of their own. */
const MAX_TERM_WIDTH = 32

/** Returns the blocks as lines for a terminal of `width` columns, separated by empty lines. */
export function blockLines(blocks: readonly Block[], width: number, paint: Paint): string[] {
  const lines: string[] = []
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    if (index > 0 && !(before !== undefined && 'heading' in before)) lines.push('')
    if ('heading' in block) lines.push(paint.bold(block.heading))
    else if ('text' in block) lines.push(...wrap(block.text, width - indent.length).map((line) => indent + line))
    else if ('code' in block) lines.push(...block.code.map((line) => indent + indent + line))
    else lines.push(...termLines(block.terms, width))
  }
  return lines
}

function termLines(terms: ReadonlyArray<readonly [string, string]>, width: number): string[] {
  const column = Math.max(0, ...terms.map(([term]) => columnsOf(term)).filter((each) => each <= MAX_TERM_WIDTH))
  const hang = indent + ' '.repeat(column) + indent
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...rest] = wrap(meaning, Math.max(20, width - hang.length))
    const room = column - columnsOf(term)
    if (room < 0) return [indent + term, ...(first === '' ? rest : [first, ...rest]).map((line) => hang + line)]
    return [`${indent}${term}${' '.repeat(room)}${indent}${first}`.trimEnd(), ...rest.map((line) => hang + line)]
  })
}
