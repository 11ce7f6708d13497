/** Lines of a screen as styled text, so that content can be built, cut and tested without drawing. */
import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { columnsOf, cut, oneLine } from '../terminal/output/text.js'
import type { Style } from './parts.js'

interface Segment {
  text: string
  tone?: keyof Style
}

export type Line = readonly Segment[]

/** Creates a line of one tone, without control characters. */
export const line = (text: string, tone?: keyof Style): Line => [{ text: oneLine(text), ...(tone === undefined ? {} : { tone }) }]

/** Returns the text of a line without tones. */
export const wordsOf = (parts: Line): string => parts.map(({ text }) => text).join('')

/** Fits a line to `width` columns: cut or padded. */
export function fitted(parts: Line, width: number): Line {
  const fit: Segment[] = []
  let left = width
  for (const part of parts) {
    const text = cut(part.text, left)
    if (left <= 0) break
    left -= columnsOf(text)
    fit.push({ ...part, text })
  }
  return left > 0 ? [...fit, { text: ' '.repeat(left) }] : fit
}

/** Places blocks of lines side by side, `gap` columns apart. */
export function beside(blocks: ReadonlyArray<{ lines: readonly Line[]; width: number }>, gap = 2): Line[] {
  const max = Math.max(...blocks.map(({ lines }) => lines.length))
  return Array.from({ length: max }, (_, at) =>
    blocks.flatMap(({ lines, width }, index) => [...(index === 0 ? [] : [{ text: ' '.repeat(gap) }]), ...fitted(lines[at] ?? [], width)]),
  )
}

/** Renders lines below each other, cut to the terminal width. */
export function Lines({ lines, style }: { lines: readonly Line[]; style: Style }): ReactNode {
  return (
    <Box flexDirection="column" paddingX={1}>
      {lines.map((parts, at) => (
        <Text key={at} wrap="truncate">
          {wordsOf(parts) === ''
            ? ' '
            : parts.map(({ text, tone }, index) => (
                <Text key={index} {...(tone === undefined ? {} : style[tone])}>
                  {oneLine(text)}
                </Text>
              ))}
        </Text>
      ))}
    </Box>
  )
}
