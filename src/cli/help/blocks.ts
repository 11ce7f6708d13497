/** Explanations as data, so that the screen and the manual pages show the same words. */
import type { Paint } from '../terminal/terminal.js'
import { columnsOf, wrap } from '../terminal/output/text.js'

export type Block =
  /** `sub` stands within the heading before it. */
  | { heading: string; sub?: true }
  | { text: string }
  /** What a person types or reads literally, line by line. */
  | { code: readonly string[] }
  /** Terms and what they mean. */
  | { terms: ReadonlyArray<readonly [term: string, meaning: string]> }

const indent = '  '
/** Terms longer than this stand on a line of their own. */
const widestTerm = 32

/** The blocks as lines for a screen of `width` columns, an empty line between them. */
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
  const column = Math.max(0, ...terms.map(([term]) => columnsOf(term)).filter((each) => each <= widestTerm))
  const hang = indent + ' '.repeat(column) + indent
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...rest] = wrap(meaning, Math.max(20, width - hang.length))
    const room = column - columnsOf(term)
    if (room < 0) return [indent + term, ...(first === '' ? rest : [first, ...rest]).map((line) => hang + line)]
    return [`${indent}${term}${' '.repeat(room)}${indent}${first}`.trimEnd(), ...rest.map((line) => hang + line)]
  })
}
