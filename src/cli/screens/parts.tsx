/** Shared parts of screens. Without colour nothing is styled: symbols and words carry the meaning. */
import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { useSize } from './openScreen.js'

/** Styles by meaning, for `<Text {...style.good}>`. */
export interface Style {
  good: { color?: string }
  bad: { color?: string }
  strong: { bold?: boolean }
  faint: { dimColor?: boolean }
  /** The selected row. */
  chosen: { inverse?: boolean }
}

export function styles(colour: boolean): Style {
  if (!colour) return { good: {}, bad: {}, strong: {}, faint: {}, chosen: {} }
  return { good: { color: 'green' }, bad: { color: 'red' }, strong: { bold: true }, faint: { dimColor: true }, chosen: { inverse: true } }
}

/** Renders a title on the left and a location on the right. */
export function Heading({ title, place, style }: { title: string; place: string; style: Style }): ReactNode {
  return (
    <Box justifyContent="space-between" flexWrap="wrap" columnGap={2} marginBottom={1}>
      <Text {...style.strong}>{title}</Text>
      <Text {...style.faint}>{place}</Text>
    </Box>
  )
}

/** Renders a completed answer: check mark, label and value. */
export function Answered({ label, value, style }: { label: string; value: string; style: Style }): ReactNode {
  return (
    <Box>
      <Box width={14} flexShrink={0}>
        <Text>
          <Text {...style.good}>✔</Text> {label}
        </Text>
      </Box>
      <Text>{value}</Text>
    </Box>
  )
}

/** Renders the typed line with a cursor; hidden input shows a dot per character. */
export function Typed({ text, isHidden }: { text: string; isHidden: boolean }): ReactNode {
  return <Text>{`  > ${isHidden ? '•'.repeat([...text].length) : text}▏`}</Text>
}

export interface Choice {
  value: string
  label: string
  about: string
}

/** Renders the content below a question. */
export function Indented({ children }: { children: ReactNode }): ReactNode {
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {children}
    </Box>
  )
}

/** Minimum columns for descriptions beside the choices; otherwise below. */
const BESIDE_FROM = 70

/** Renders choices below each other, with a pointer at the selected one. */
export function Choices({ choices, at, style }: { choices: readonly Choice[]; at: string; style: Style }): ReactNode {
  const isNarrow = useSize().columns < BESIDE_FROM
  return choices.map(({ value, label, about }) => (
    <Box key={value} flexDirection={isNarrow ? 'column' : 'row'}>
      <Box width={28} flexShrink={0}>
        <Text {...(value === at ? style.strong : {})}>{`  ${value === at ? '❯' : ' '} ${label}`}</Text>
      </Box>
      <Box paddingLeft={isNarrow ? 6 : 0}>
        <Text {...style.faint}>{about}</Text>
      </Box>
    </Box>
  ))
}
