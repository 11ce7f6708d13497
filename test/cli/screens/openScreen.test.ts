/** The terminal is given back however a screen ends. */
import { Text, useInput } from 'ink'
import { createElement, type ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { openScreen, useSize } from '../../../src/cli/screens/openScreen.js'
import { drawnTerminal } from '../support/drawn.js'

const ENTERED = '\u001b[?1049h'
const LEFT = '\u001b[?1049l'
const CURSOR_SHOWN = '\u001b[?25h'

function Words({ say, end }: { say: string; end(): void }): ReactNode {
  const { columns, rows } = useSize()
  useInput((input) => {
    if (input === 'q') end()
  })
  if (say === 'fail') throw new Error('It cannot be drawn.')
  return createElement(Text, {}, `${say} in ${columns} by ${rows}`)
}

describe.each([true, false])('a screen, whole: %s', (isWhole) => {
  const open = () => {
    const drawn = drawnTerminal(80, 24)
    const screen = openScreen(drawn.streams, { isWhole })
    const show = (say: string): void => screen.show(createElement(Words, { say, end: () => screen.close() }))
    return { drawn, screen, show }
  }

  it('gives the terminal back when it is closed, once', async () => {
    const { drawn, screen, show } = open()
    show('first')
    const begun = await drawn.shows('first in 80 by 24')
    expect(begun.includes(ENTERED)).toBe(isWhole)
    expect(drawn.stdin.isRaw).toBe(true)
    drawn.type('q')
    await screen.closed
    screen.close()
    expect(drawn.stdin.isRaw).toBe(false)
    expect(drawn.text()).toContain(CURSOR_SHOWN)
    expect(drawn.text().split(LEFT).length - 1).toBe(isWhole ? 1 : 0)
  })

  it('gives it back when drawing fails, and tells what failed', async () => {
    const { drawn, screen, show } = open()
    show('first')
    await drawn.shows('first')
    show('fail')
    await expect(screen.closed).rejects.toThrow('It cannot be drawn.')
    expect(drawn.stdin.isRaw).toBe(false)
    expect(drawn.text()).toContain(CURSOR_SHOWN)
    expect(drawn.text().includes(LEFT)).toBe(isWhole)
  })

  it('is drawn anew at another size', async () => {
    const { drawn, screen, show } = open()
    show('first')
    await drawn.shows('first in 80 by 24')
    drawn.resize(40, 12)
    await drawn.shows('first in 40 by 12')
    screen.close()
    await screen.closed
  })
})
