/** Parts of screens. Without colour nothing is styled: signs and words say the same. */
import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { useSize } from './openScreen.js'

/** Styles by meaning, for `<Text {...style.good}>`. */
export interface Style {
  good: { color?: string }
  bad: { color?: string }
  strong: { bold?: boolean }
  faint: { dimColor?: boolean }
  /** What keys act on. */
  chosen: { inverse?: boolean }
}

export function styles(colour: boolean): Style {
  if (!colour) return { good: {}, bad: {}, strong: {}, faint: {}, chosen: {} }
  return { good: { color: 'green' }, bad: { color: 'red' }, strong: { bold: true }, faint: { dimColor: true }, chosen: { inverse: true } }
}

/** A title on the left, where one is on the right. */
export function Heading({ title, place, style }: { title: string; place: string; style: Style }): ReactNode {
  return (
    <Box justifyContent="space-between" flexWrap="wrap" columnGap={2} marginBottom={1}>
      <Text {...style.strong}>{title}</Text>
      <Text {...style.faint}>{place}</Text>
    </Box>
  )
}

/** What was answered: a sign, a label and a value. */
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

/** A line that is being typed, with a cursor behind it; hidden ones show a dot for each character. */
export function Typed({ text, isHidden }: { text: string; isHidden: boolean }): ReactNode {
  return <Text>{`  > ${isHidden ? '•'.repeat([...text].length) : text}▏`}</Text>
}

export interface Choice {
  value: string
  label: string
  about: string
}

/** What belongs to a question, below it. */
export function Indented({ children }: { children: ReactNode }): ReactNode {
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {children}
    </Box>
  )
}

/** Where there is less room, what a choice is about stands below it. */
const BESIDE_FROM = 70

/** Choices one below the other; the one taken by Enter has a pointer. */
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
