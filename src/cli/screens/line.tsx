/** Lines of a screen as text with tones, so that what a screen shows can be made up, cut and tested without drawing. */
import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { columnsOf, cut, oneLine } from '../terminal/output/text.js'
import type { Style } from './parts.js'

export interface Segment {
  text: string
  tone?: keyof Style
}

export type Line = readonly Segment[]

/** A line of one tone; control characters are taken out. */
export const line = (text: string, tone?: keyof Style): Line => [{ text: oneLine(text), ...(tone === undefined ? {} : { tone }) }]

/** The words of a line alone. */
export const wordsOf = (parts: Line): string => parts.map(({ text }) => text).join('')

/** The line in `width` columns: cut, or with spaces behind it. */
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

/** Blocks of lines side by side, `gap` columns between them. */
export function beside(blocks: ReadonlyArray<{ lines: readonly Line[]; width: number }>, gap = 2): Line[] {
  const max = Math.max(...blocks.map(({ lines }) => lines.length))
  return Array.from({ length: max }, (_, at) =>
    blocks.flatMap(({ lines, width }, index) => [...(index === 0 ? [] : [{ text: ' '.repeat(gap) }]), ...fitted(lines[at] ?? [], width)]),
  )
}

/** Lines one below the other, none wider than the terminal. */
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
