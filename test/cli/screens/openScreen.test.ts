/** Tests that the terminal is restored however a screen ends. */
import { Text, useInput } from 'ink'
import { createElement, type ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { openScreen, useSize } from '../../../src/cli/screens/openScreen.js'
import { drawnTerminal } from '../support/drawn.js'

const ENTER_ALTERNATE_SCREEN = '\u001b[?1049h'
const LEAVE_ALTERNATE_SCREEN = '\u001b[?1049l'
const SHOW_CURSOR = '\u001b[?25h'

function Words({ say, end }: { say: string; end(): void }): ReactNode {
  const { columns, rows } = useSize()
  useInput((input) => {
    if (input === 'q') end()
  })
  if (say === 'fail') throw new Error('It cannot be drawn.')
  return createElement(Text, {}, `${say} in ${columns} by ${rows}`)
}

describe.each([true, false])('a screen (full screen: %s)', (isWhole) => {
  const open = () => {
    const drawn = drawnTerminal(80, 24)
    const screen = openScreen(drawn.streams, { isWhole })
    const show = (say: string): void => screen.show(createElement(Words, { say, end: () => screen.close() }))
    return { drawn, screen, show }
  }

  it('restores the terminal once when it is closed', async () => {
    const { drawn, screen, show } = open()
    show('first')
    const begun = await drawn.shows('first in 80 by 24')
    expect(begun.includes(ENTER_ALTERNATE_SCREEN)).toBe(isWhole)
    expect(drawn.stdin.isRaw).toBe(true)
    drawn.type('q')
    await screen.closed
    screen.close()
    expect(drawn.stdin.isRaw).toBe(false)
    expect(drawn.text()).toContain(SHOW_CURSOR)
    expect(drawn.text().split(LEAVE_ALTERNATE_SCREEN).length - 1).toBe(isWhole ? 1 : 0)
  })

  it('restores the terminal when drawing fails, and rejects with the error', async () => {
    const { drawn, screen, show } = open()
    show('first')
    await drawn.shows('first')
    show('fail')
    await expect(screen.closed).rejects.toThrow('It cannot be drawn.')
    expect(drawn.stdin.isRaw).toBe(false)
    expect(drawn.text()).toContain(SHOW_CURSOR)
    expect(drawn.text().includes(LEAVE_ALTERNATE_SCREEN)).toBe(isWhole)
  })

  it('is redrawn after a change of the size', async () => {
    const { drawn, screen, show } = open()
    show('first')
    await drawn.shows('first in 80 by 24')
    drawn.resize(40, 12)
    await drawn.shows('first in 40 by 12')
    screen.close()
    await screen.closed
  })
})
